import { useQuery } from '@tanstack/react-query';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { NetworkKeyForm } from './network-key-form.tsx';
import styles from './networks.module.css';

const NetworksPage = () => {
  const { user } = useSession();
  const query = useQuery({ queryKey: keys.networkKeys, queryFn: ({ signal }) => app.readNetworkKeys({ signal }) });
  return (
    <>
      <PageHeader title="Networks" crumb={{ label: 'Workspace', link: { to: '/settings/workspace' } }} />
      <Column width="narrow">
        <Loaded query={query} title="The networks could not be loaded" rows={8} height={54} label="Loading networks">
          {({ networks, operator }) =>
            user.operator ? (
              <>
                <p className="text-2">
                  Most networks want Posthorn to be registered. Enter what they gave you: it is stored encrypted, never
                  shown again, and used at once. Bluesky, Mastodon and Pixelfed need nothing.
                </p>
                <ul className={styles.list} aria-label="Networks">
                  {networks.map((one) => (
                    <NetworkKeyForm key={one.network} keys={one} />
                  ))}
                </ul>
              </>
            ) : (
              <p>{operator} set this server up and enters the credentials of networks. Ask them.</p>
            )
          }
        </Loaded>
      </Column>
    </>
  );
};

export default NetworksPage;
