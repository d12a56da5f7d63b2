import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { useNetworks } from '#web/networks.ts';
import { Banner } from '#web/parts/banner.tsx';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import styles from './accounts.module.css';

export const ConnectTiles = ({ ref }: { ref: React.Ref<HTMLUListElement> }) => {
  const { list } = useNetworks();
  // On a phone the drawer shows the title.
  const isPhone = useIsPhone();
  const sandboxes = list.filter(({ sandbox }) => sandbox).map(({ provider }) => provider);
  return (
    <>
      {!isPhone && <h2 style={{ fontSize: 14, lineHeight: '20px', marginBottom: 8 }}>Connect another</h2>}
      <p className="small text-2">You sign in at the network and come back here. Posthorn never sees your password.</p>
      <ul className={styles.tiles} ref={ref}>
        {list.map(({ network, provider, sandbox }) => (
          <li key={network}>
            <Link to="/connect/$network" params={{ network }} className={styles.tile}>
              <NetworkBadge network={network} size={20} />
              <span aria-hidden="true">{provider}</span>
              {sandbox && (
                <>
                  {sandboxes.length < list.length && <FlaskConical size={13} aria-hidden="true" />}
                  <span className="hidden">, sandbox</span>
                </>
              )}
            </Link>
          </li>
        ))}
      </ul>
      {sandboxes.length > 0 && (
        <Banner tone="plum" icon={FlaskConical} title={sandboxLine(sandboxes, list.length)}>
          No credentials are set for {sandboxes.length === 1 ? 'it' : 'them'}, so posts stay on this server.
        </Banner>
      )}
      {list.length === 0 && (
        <p className="small text-2">
          This server can connect to no network yet. Its operator registers Posthorn at a network and sets the
          credentials it gets there.
        </p>
      )}
    </>
  );
};

const sandboxLine = (names: readonly string[], all: number) => {
  if (names.length === all) return 'All networks use the sandbox';
  if (names.length === 1) return `${names[0]} uses the sandbox`;
  return names.length > 3 ? `${names.length} networks use the sandbox` : `${joinWithAnd(names)} use the sandbox`;
};
