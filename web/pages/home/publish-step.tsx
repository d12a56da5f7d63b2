import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { actions } from '#web/base/api.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import styles from './first-run.module.css';
import { useSandboxAccounts } from './use-sandbox-accounts.ts';

const body = 'Hello from Posthorn. If you can read this in the sandbox, publishing works.';

/** Publishes a prepared post to the sandbox accounts that accept text alone. */
export const PublishStep = ({ onSent }: { onSent: (postId: string) => void }) => {
  const accounts = useSandboxAccounts();
  const client = useQueryClient();
  const navigate = useNavigate();
  const draft = () => actions.posts.create({ accountIds: accounts.map(({ id }) => id), body });

  const publish = useMutation({
    mutationFn: async () => {
      const { id } = await draft();
      return actions.posts.publishNow({ id });
    },
    onSuccess: ({ id }) => {
      onSent(id);
      return client.invalidateQueries({ queryKey: ['posts'] });
    },
  });
  const edit = useMutation({
    mutationFn: draft,
    onSuccess: ({ id }) => navigate({ to: '/posts/$id', params: { id } }),
  });
  const canSend = accounts.length > 0;
  const label = useActLabel();
  return (
    <>
      <div className={styles.post}>
        <NetworkBadges networks={accounts.map(({ network }) => network)} />
        <p>{body}</p>
      </div>
      {publish.error && <FaultBanner fault={publish.error} title="Not published" />}
      {edit.error && <FaultBanner fault={edit.error} title="The draft was not made" />}
      <div className="row wrap">
        {canSend && (
          <Button variant="send" loading={publish.isPending} onClick={() => publish.mutate()}>
            {label('Publish to the sandbox')}
          </Button>
        )}
        <Button variant={canSend ? 'default' : 'ink'} loading={edit.isPending} onClick={() => edit.mutate()}>
          Open in the editor
        </Button>
      </div>
    </>
  );
};
