import { Button, Checkbox, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NewWebhook, Webhook } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { fieldFault, madeOnce, unknownOutcome } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import styles from './webhooks.module.css';

type Event = Webhook['events'][number];

const events: Record<Event, string> = {
  'post.published': 'A post is out on every account it was for',
  'post.failed': 'A post failed somewhere, or could not be confirmed',
  'account.disconnected': 'An account needs reconnecting',
};
const all = Object.keys(events) as Event[];

/** Edits `webhook`, or adds one without it. */
export const WebhookForm = ({
  opened,
  onClose,
  webhook,
  onAdded,
}: {
  opened: boolean;
  onClose: () => void;
  webhook?: Webhook;
  onAdded?: (webhook: NewWebhook) => void;
}) => (
  <Modal opened={opened} onClose={onClose} title={webhook ? 'Change the webhook' : 'Add a webhook'} size={480}>
    <Fields onClose={onClose} webhook={webhook} onAdded={onAdded} />
  </Modal>
);

const Fields = ({
  onClose,
  webhook,
  onAdded,
}: {
  onClose: () => void;
  webhook: Webhook | undefined;
  onAdded: ((webhook: NewWebhook) => void) | undefined;
}) => {
  const [url, setUrl] = useFormDraft('address', webhook?.url ?? 'https://');
  const [chosen, setChosen] = useFormDraft<readonly Event[]>('events', webhook?.events ?? all);
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const input = { url: url.trim(), events: [...chosen] };
      if (webhook) await app.changeWebhook({ id: webhook.id, ...input });
      else onAdded?.(await app.addWebhook(input));
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.webhooks });
      onClose();
    },
  });
  const ofUrl = fieldFault(error, 'url', 'The address');
  const none = chosen.length === 0 ? 'Choose at least one event.' : undefined;
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault();
        if (!none) mutate();
      }}
    >
      <TextInput
        label="Address"
        description="https, and reachable from the internet."
        type="text"
        inputMode="url"
        value={url}
        error={ofUrl}
        maxLength={2048}
        spellCheck={false}
        data-autofocus
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <Checkbox.Group
        label="Events"
        value={[...chosen]}
        onChange={(values) => setChosen(values as Event[])}
        error={none}
      >
        <div className={styles.events}>
          {all.map((type) => (
            <Checkbox key={type} value={type} label={<code>{type}</code>} description={events[type]} />
          ))}
        </div>
      </Checkbox.Group>
      {error && !ofUrl && (
        <FaultBanner fault={error} title="The webhook was not saved" unanswered={webhook ? unknownOutcome : madeOnce} />
      )}
      <div className="buttons">
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="ink" loading={isPending}>
          {webhook ? 'Save' : 'Add webhook'}
        </Button>
      </div>
    </form>
  );
};
