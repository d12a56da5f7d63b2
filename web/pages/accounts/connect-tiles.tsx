import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { app } from '#web/base/api.ts';
import { useNetworks } from '#web/base/networks.ts';
import { keys } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';
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
      <NeedKeys offered={list.map(({ network }) => network)} />
    </>
  );
};

/** In production, networks without credentials are missing above. Elsewhere they are sandboxes. */
const NeedKeys = ({ offered }: { offered: readonly string[] }) => {
  const { user } = useSession();
  const { data } = useQuery({ queryKey: keys.networkKeys, queryFn: ({ signal }) => app.readNetworkKeys({ signal }) });
  const missing = data?.networks.filter(({ state }) => state === 'Missing') ?? [];
  const hidden = missing.filter(({ network }) => !offered.includes(network));
  if (data === undefined || missing.length === 0) return null;
  if (hidden.length === 0) {
    return user.operator ? (
      <p className={`small ${styles.needKeys}`}>
        <Link to="/settings/networks">Enter keys for the real networks</Link>
      </p>
    ) : null;
  }
  return (
    <div className={styles.needKeys}>
      <p className="small text-2">
        {hidden.length === 1 ? '1 network needs' : `${hidden.length} networks need`} keys
        {user.operator ? ':' : `: ${joinWithAnd(hidden.map(({ provider }) => provider))}. Ask ${data.operator}.`}
      </p>
      {user.operator && (
        <ul className={styles.tiles}>
          {hidden.map(({ network, provider }) => (
            <li key={network}>
              <Link to="/settings/networks" hash={network} className={styles.tile}>
                {/* Hidden from screen readers: the badge only knows the names of offered networks. */}
                <span aria-hidden="true">
                  <NetworkBadge network={network} size={20} />
                </span>
                {provider}
                <span className="hidden">, needs keys</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const sandboxLine = (names: readonly string[], all: number) => {
  if (names.length === all) return 'All networks use the sandbox';
  if (names.length === 1) return `${names[0]} uses the sandbox`;
  return names.length > 3 ? `${names.length} networks use the sandbox` : `${joinWithAnd(names)} use the sandbox`;
};
