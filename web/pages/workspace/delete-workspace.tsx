import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { keys, queries } from '#web/base/queries.ts';
import { usePermissions, useWorkspace } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { Section } from '#web/parts/section.tsx';
import { showFault, showToast } from '#web/parts/toasts.tsx';
import { useAnchor } from '#web/parts/use-anchor.ts';
import { When } from '#web/parts/when.tsx';
import { WhoMay } from '#web/parts/who-may.tsx';
import styles from './workspace.module.css';

const exportPath = '/settings/transfer';

/** Deletion takes effect after seven days and can be revoked until then. */
export const DeleteWorkspace = () => {
  const { deletion, name } = useWorkspace();
  const { isOwner } = usePermissions();
  const [isConfirming, setIsConfirming] = useState(false);
  useAnchor('delete', useQuery(queries.members).data !== undefined);
  return (
    <Section anchor="delete" title="Delete" note={isOwner ? undefined : <WhoMay act="delete it" roles={['owner']} />}>
      {deletion && <PendingDeletion at={deletion.at} />}
      {isOwner && !deletion && (
        <div className={styles.gap}>
          <p className="small text-2">
            Everything in <bdi>{name}</bdi> goes: posts, media, statistics, accounts, tokens and webhooks. What is
            public on the networks stays there.
          </p>
          <div>
            <Button variant="danger" onClick={() => setIsConfirming(true)}>
              Delete the workspace
            </Button>
          </div>
        </div>
      )}
      <DeleteDialog opened={isConfirming} onClose={() => setIsConfirming(false)} />
    </Section>
  );
};

const Export = () => (
  <p>
    <a href={exportPath}>Export what you want to keep</a>
  </p>
);

const PendingDeletion = ({ at }: { at: string }) => {
  const { isOwner } = usePermissions();
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => app.takeBackDeletion(),
    onSuccess: (session) => {
      client.setQueryData(keys.session, session);
      showToast({ text: `${session.workspace?.name} stays. Publishing goes on.` });
    },
    onError: showFault,
  });
  return (
    <Banner
      tone="orange"
      title={
        <>
          Everything here is deleted <When at={at} form="full" />
        </>
      }
      action={
        isOwner && (
          <Button size="xs" loading={isPending} onClick={() => mutate()}>
            Keep the workspace
          </Button>
        )
      }
    >
      <p>
        Nothing is published meanwhile. If it is kept, scheduled posts whose time passed in the last 24 hours go out at
        once, and older ones fail as missed.
      </p>
      <Export />
    </Banner>
  );
};

const DeleteDialog = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => {
  const { name } = useWorkspace();
  const [typed, setTyped] = useState('');
  const client = useQueryClient();
  return (
    <ConfirmDialog
      opened={opened}
      onClose={() => {
        setTyped('');
        onClose();
      }}
      title={`Delete ${name}?`}
      act="Delete in 7 days"
      kind="danger"
      onConfirm={async () => client.setQueryData(keys.session, await app.askDeletion({ name: typed.trim() }))}
    >
      <p>
        Publishing stops at once: scheduled posts do not go out. Everything is removed in 7 days, and an owner can take
        it back until then.
      </p>
      <Export />
      <TextInput
        className={styles.typed}
        label={`Type ${name} to confirm`}
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
};
