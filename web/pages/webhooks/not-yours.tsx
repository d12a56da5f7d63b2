import { Webhook } from 'lucide-react';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { WhoMay } from '#web/parts/who-may.tsx';

export const NotYours = () => (
  <>
    <PageHeader title="Webhooks" />
    <EmptyState icon={Webhook} title="Owners and admins look after webhooks">
      <WhoMay act="add and change webhooks" />
    </EmptyState>
  </>
);
