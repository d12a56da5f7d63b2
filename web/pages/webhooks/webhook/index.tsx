import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isPosthornError, type NewWebhook, type Webhook } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { NotYours } from '#web/pages/webhooks/not-yours.tsx';
import { WebhookState } from '#web/pages/webhooks/webhook-state.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import NotFound from '#web/parts/not-found.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { SideRail, WithRail } from '#web/parts/side-rail.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { DeliveryDetails } from './delivery-details.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookNotices } from './webhook-notices.tsx';

const crumb = { label: 'Webhooks', link: { to: '/settings/webhooks' } } as const;

const WebhookPage = () => {
  const { id } = useParams({ from: '/shell/settings/webhooks/$id' });
  const { canManage } = usePermissions();
  const { data, error, refetch } = useQuery({
    queryKey: keys.webhook(id),
    queryFn: ({ signal }) => app.getWebhook({ id }, { signal }),
    enabled: canManage,
  });
  if (!canManage) return <NotYours />;
  if (isPosthornError(error, 'NotFound')) return <NotFound />;
  if (data) return <Log key={data.id} webhook={data} />;
  return (
    <>
      <PageHeader crumb={crumb} title="Webhook" />
      {error ? (
        <Column>
          <FaultBanner fault={error} title="The webhook could not be loaded" onRetry={refetch} />
        </Column>
      ) : (
        <SkeletonRows rows={8} height={44} />
      )}
    </>
  );
};

const Log = ({ webhook }: { webhook: Webhook }) => {
  const [{ delivery }, setSearch] = usePageSearch<'delivery'>();
  const [fresh, setFresh] = useState<NewWebhook>();
  const close = () => setSearch({ delivery: undefined }, { replace: true });
  return (
    <>
      <PageHeader
        crumb={crumb}
        title={webhook.testReceiver ? 'Test receiver' : new URL(webhook.url).host}
        chip={<WebhookState webhook={webhook} />}
        actions={<WebhookActions webhook={webhook} onSecret={setFresh} />}
      />
      <WithRail
        rail={
          delivery && (
            <SideRail label="Delivery" width={396} opened onClose={close}>
              <DeliveryDetails key={delivery} webhook={webhook} deliveryId={delivery} onClose={close} />
            </SideRail>
          )
        }
      >
        <WebhookNotices webhook={webhook} fresh={fresh} onStored={() => setFresh(undefined)} />
        <DeliveryLog
          webhook={webhook}
          openId={delivery}
          onOpen={(deliveryId) => setSearch({ delivery: deliveryId }, { replace: delivery !== undefined })}
        />
      </WithRail>
    </>
  );
};

export default WebhookPage;
