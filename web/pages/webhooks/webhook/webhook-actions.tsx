import { ActionIcon, Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Pencil, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { NewWebhook, Webhook } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { WebhookForm } from '#web/pages/webhooks/webhook-form.tsx';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { showFault, showToast } from '#web/parts/toasts.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';

/** The menu has the rare actions; on a phone it has all of them. */
export const WebhookActions = ({
  webhook,
  onSecret,
}: {
  webhook: Webhook;
  onSecret: (webhook: NewWebhook) => void;
}) => {
  const { id, url } = webhook;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isEditing, setIsEditing] = useFormDraft('dialog', false);
  // Plain state, not a form draft: after a new sign-in, a forgotten confirmation dialog must not reopen.
  const [confirming, setConfirming] = useState<'rotate' | 'delete'>();
  const close = () => setConfirming(undefined);
  const test = useMutation({
    mutationFn: () => app.testWebhook({ id }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.deliveries(id) }),
    onError: showFault,
  });
  const rotate = async () => {
    try {
      onSecret(await app.rotateWebhookSecret({ id }));
    } finally {
      // Refetch after an error too: if the rotation succeeded, the page shows that both secrets sign.
      void client.invalidateQueries({ queryKey: keys.webhook(id) });
    }
  };
  const remove = async () => {
    await app.deleteWebhook({ id });
    await navigate({ to: '/settings/webhooks' });
    client.removeQueries({ queryKey: keys.webhook(id) });
    await client.invalidateQueries({ queryKey: keys.webhooks });
    showToast({ text: `The webhook of ${new URL(url).host} is deleted.` });
  };
  return (
    <>
      <Button className="desk-only" onClick={() => setIsEditing(true)}>
        Edit
      </Button>
      <Button
        className="desk-only"
        leftSection={<Send size={15} aria-hidden="true" />}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        Send test
      </Button>
      <Menu width={220}>
        <Menu.Target>
          <ActionIcon size={34} aria-label="More for this webhook">
            <Ellipsis size={17} aria-hidden="true" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            className="phone-only"
            leftSection={<Send size={14} aria-hidden="true" />}
            onClick={() => test.mutate()}
          >
            Send test
          </Menu.Item>
          <Menu.Item
            className="phone-only"
            leftSection={<Pencil size={14} aria-hidden="true" />}
            onClick={() => setIsEditing(true)}
          >
            Edit
          </Menu.Item>
          <Menu.Item leftSection={<KeyRound size={14} aria-hidden="true" />} onClick={() => setConfirming('rotate')}>
            Create a new secret
          </Menu.Item>
          <Menu.Item
            color="var(--red)"
            leftSection={<Trash2 size={14} aria-hidden="true" />}
            onClick={() => setConfirming('delete')}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <WebhookForm opened={isEditing} onClose={() => setIsEditing(false)} webhook={webhook} />
      <ConfirmDialog
        opened={confirming === 'rotate'}
        onClose={close}
        title="Create a new signing secret?"
        act="Create a new secret"
        kind="ink"
        onConfirm={rotate}
      >
        For 24 hours deliveries are signed with both, so that your receiver misses none. A second new secret within that
        time ends the older one at once.
      </ConfirmDialog>
      <ConfirmDialog
        opened={confirming === 'delete'}
        onClose={close}
        title="Delete this webhook?"
        act="Delete"
        kind="danger"
        onConfirm={remove}
      >
        Its delivery log goes with it, and what waits is not sent.
      </ConfirmDialog>
    </>
  );
};
