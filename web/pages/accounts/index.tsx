import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus, Waypoints } from 'lucide-react';
import { useRef, useState } from 'react';
import { queries } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { SideRail, WithRail } from '#web/parts/side-rail.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { WhoMay } from '#web/parts/who-may.tsx';
import { AccountList } from './account-list.tsx';
import { ConnectTiles } from './connect-tiles.tsx';
import { useConnectedToast } from './use-connected-toast.ts';

const AccountsPage = () => {
  const { data, error, refetch, isFetching } = useQuery(queries.accounts);
  const { canManage } = usePermissions();
  const isPhone = useIsPhone();
  const [isConnecting, setIsConnecting] = useState(false);
  const tiles = useRef<HTMLUListElement>(null);
  useConnectedToast(data?.accounts, isFetching);
  const connect = () => (isPhone ? setIsConnecting(true) : tiles.current?.querySelector('a')?.focus());
  const button = (
    <Button variant="ink" leftSection={<Plus size={15} aria-hidden="true" />} onClick={connect}>
      Connect<span className="desk-only">&nbsp;an account</span>
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Social accounts"
        meta={
          data && data.accounts.length > 0 ? <span className="number">{data.accounts.length} connected</span> : null
        }
        actions={canManage && button}
      />
      <WithRail
        rail={
          <SideRail label="Connect another" width={356} opened={isConnecting} onClose={() => setIsConnecting(false)}>
            {canManage ? (
              <ConnectTiles ref={tiles} />
            ) : (
              <p className="small text-2">
                <WhoMay act="connect accounts" />
              </p>
            )}
          </SideRail>
        }
      >
        {error && (
          <Column>
            <FaultBanner fault={error} title="The accounts could not be loaded" onRetry={refetch} />
          </Column>
        )}
        {!data && !error && <SkeletonRows height={56} rows={6} />}
        {data?.accounts.length === 0 && (
          <EmptyState icon={Waypoints} title="No account is connected" action={canManage && button}>
            {canManage ? 'Connect one, and Posthorn can publish there.' : <WhoMay act="connect accounts" />}
          </EmptyState>
        )}
        {data && data.accounts.length > 0 && <AccountList accounts={data.accounts} />}
      </WithRail>
    </>
  );
};

export default AccountsPage;
