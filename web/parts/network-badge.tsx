import { type NetworkLook, useNetworks } from '#web/base/networks.ts';
import { glyphs } from './glyphs.ts';
import styles from './network-badge.module.css';

type Size = 16 | 18 | 20 | 24 | 32;

interface Props {
  size?: Size;
  /** In the network's colour: a chosen tab or filter, the head of a preview, an account that a post has reached. */
  isColored?: boolean;
  /** Not chosen. */
  off?: boolean;
}

export const NetworkBadge = ({ network, ...rest }: Props & { network: string }) => (
  <Badge look={useNetworks().of(network)} {...rest} />
);

/** For public pages, which cannot list networks. */
export const Badge = ({ look, size = 20, isColored = false, off = false }: Props & { look: NetworkLook }) => {
  const { network, name, code, color, darkColor } = look;
  const glyph = glyphs[network];
  const style = {
    '--size': `${size}px`,
    '--badge': color,
    '--badge-dark': darkColor ?? color,
    '--on-badge-dark': darkColor ? '#14171F' : '#FFFFFF',
  } as React.CSSProperties;
  return (
    <span className={styles.badge} data-look={off ? 'off' : isColored ? 'colored' : 'quiet'} style={style} title={name}>
      {glyph === undefined ? (
        <span aria-hidden="true">{code}</span>
      ) : (
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d={glyph} />
        </svg>
      )}
      <span className="hidden">{name}</span>
    </span>
  );
};

/** At most `max` networks, then `+2`. */
export const NetworkBadges = ({
  networks,
  size = 18,
  max = 6,
}: {
  networks: readonly string[];
  size?: Size;
  max?: number;
}) => {
  const { of } = useNetworks();
  const unique = [...new Set(networks)];
  return (
    <span className={styles.row}>
      {unique.slice(0, max).map((network) => (
        <Badge key={network} look={of(network)} size={size} />
      ))}
      {unique.length > max && <span className="caption text-2">+{unique.length - max}</span>}
    </span>
  );
};
