import { type NetworkLook, useNetworks } from '#web/networks.ts';
import styles from './network-badge.module.css';

type Size = 16 | 18 | 20 | 24 | 32;

/** `off`: not chosen. */
export const NetworkBadge = ({ network, ...rest }: { network: string; size?: Size; off?: boolean }) => (
  <Badge look={useNetworks().of(network)} {...rest} />
);

/** For public pages, which cannot list networks. */
export const Badge = ({ look, size = 20, off = false }: { look: NetworkLook; size?: Size; off?: boolean }) => {
  const { name, code, color, darkColor } = look;
  const style = {
    '--size': `${size}px`,
    '--badge': color,
    '--badge-dark': darkColor ?? color,
    '--on-badge-dark': darkColor ? '#14171F' : '#FFFFFF',
  } as React.CSSProperties;
  return (
    <span className={styles.badge} data-off={off || undefined} style={style} title={name}>
      <span aria-hidden="true">{code}</span>
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
  const unique = [...new Set(networks)];
  return (
    <span className={styles.row}>
      {unique.slice(0, max).map((network) => (
        <NetworkBadge key={network} network={network} size={size} />
      ))}
      {unique.length > max && <span className="caption text-2">+{unique.length - max}</span>}
    </span>
  );
};
