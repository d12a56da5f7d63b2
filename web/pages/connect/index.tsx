import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { app } from '#web/base/api.ts';
import { handleOf } from '#web/base/networks.ts';
import { keys, queries } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { ConnectForm } from './connect-form.tsx';
import { ConnectPage, NotConnected, TakingThere } from './connect-page.tsx';
import { useConnect } from './use-connect.ts';

/** Shows the network's form, or redirects to its own page. */
const Connect = () => {
  const { network } = useParams({ from: '/shell/connect/$network' });
  const { canManage } = usePermissions();
  const {
    data: form,
    error,
    refetch,
  } = useQuery({
    queryKey: keys.connectForm(network),
    queryFn: ({ signal }) => app.getConnectForm({ network }, { signal }),
    enabled: canManage,
  });
  const [{ account: accountId }] = usePageSearch<'account'>();
  const account = useQuery(queries.accounts).data?.accounts.find(({ id }) => id === accountId);
  const title = account ? `Reconnect ${handleOf(account)}` : `Connect ${form?.provider ?? 'an account'}`;
  return (
    <ConnectPage title={title}>
      {error && <NotConnected fault={error} onRetry={() => void refetch()} />}
      {!form && !error && <SkeletonRows rows={3} />}
      {form && form.fields.length === 0 && <Redirect network={network} provider={form.provider} />}
      {form && form.fields.length > 0 && (
        <>
          {form.sandbox && (
            <Banner tone="plum" title={`${form.provider} is a sandbox here`}>
              A stand-in on this server where nothing is public.{' '}
              {form.fields.some(({ secret }) => secret)
                ? 'Any handle and password work.'
                : 'Leave the server empty to use it.'}
            </Banner>
          )}
          <ConnectForm form={form} />
        </>
      )}
    </ConnectPage>
  );
};

const Redirect = ({ network, provider }: { network: string; provider: string }) => {
  const { begin, fault } = useConnect(network);
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    void begin({});
  }, [begin]);
  return fault === undefined ? (
    <TakingThere provider={provider} />
  ) : (
    <NotConnected fault={fault} onAgain={() => begin({})} />
  );
};

export default Connect;
