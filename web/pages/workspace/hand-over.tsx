import { Button, Select, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { keys, queries } from '#web/base/queries.ts';
import { nameOf, useSession, useWorkspace } from '#web/base/session.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { Section } from '#web/parts/section.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import styles from './workspace.module.css';

export const HandOver = () => {
  const { user } = useSession();
  const { name } = useWorkspace();
  const members = useQuery(queries.members);
  const others = (members.data?.members ?? []).filter(({ userId }) => userId !== user.id);
  const [userId, setUserId] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  const [isConfirming, setIsConfirming] = useState(false);
  const client = useQueryClient();
  const chosen = others.find((member) => member.userId === userId);
  const handOver = async () => {
    client.setQueryData(keys.session, await app.handOver({ userId: userId ?? '', name: typed.trim() }));
    showToast({ text: `${chosen ? nameOf(chosen) : 'The member'} owns ${name} now.` });
    await client.invalidateQueries({ queryKey: keys.members });
  };
  return (
    <Section title="Hand over">
      <p className={`small text-2 ${styles.lead}`}>Another member becomes owner, and you become an admin.</p>
      <Loaded query={members} title="The members could not be loaded" rows={1}>
        {() =>
          others.length === 0 ? (
            <p className="small text-3">You are the only member. Invite somebody first.</p>
          ) : (
            <div className={styles.form}>
              <Select
                className={styles.grow}
                aria-label="New owner"
                placeholder="Choose a member"
                data={others.map((member) => ({ value: member.userId, label: `${nameOf(member)} (${member.email})` }))}
                value={userId}
                onChange={setUserId}
              />
              <Button
                disabled={chosen === undefined}
                onClick={() => {
                  setTyped('');
                  setIsConfirming(true);
                }}
              >
                Hand over
              </Button>
            </div>
          )
        }
      </Loaded>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Hand ${name} over to ${chosen ? nameOf(chosen) : ''}?`}
        act="Hand over"
        kind="danger"
        onConfirm={handOver}
      >
        <p>
          They own the workspace from then on: its plan, its name, and whether it is deleted. You cannot take it back.
        </p>
        <TextInput
          className={styles.typed}
          label={`Type ${name} to confirm`}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </ConfirmDialog>
    </Section>
  );
};
