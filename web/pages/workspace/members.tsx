import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member } from '#generated/app-client';
import { app } from '#web/api.ts';
import { Avatar } from '#web/parts/avatar.tsx';
import { capitalize } from '#web/parts/capitalize.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { Section } from '#web/parts/section.tsx';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';
import { keys, queries } from '#web/queries.ts';
import { nameOf, type Role, usePermissions, useSession, useWorkspace } from '#web/session.ts';
import { RoleSelect } from './role-select.tsx';
import { isAbove } from './roles.ts';
import styles from './workspace.module.css';

export const Members = () => {
  const query = useQuery(queries.members);
  const [removing, setRemoving] = useState<Member>();
  return (
    <Section title="Members" note={query.data && <span className="number">{query.data.members.length}</span>} card>
      <Loaded query={query} title="The members could not be loaded" rows={3} height={54}>
        {({ members }) => (
          <ul aria-label="Members">
            {members.map((member) => (
              <MemberRow key={member.userId} member={member} onRemove={() => setRemoving(member)} />
            ))}
          </ul>
        )}
      </Loaded>
      <RemoveDialog member={removing} onClose={() => setRemoving(undefined)} />
    </Section>
  );
};

const MemberRow = ({ member, onRemove }: { member: Member; onRemove: () => void }) => {
  const { user } = useSession();
  const { role: own, canManage } = usePermissions();
  const client = useQueryClient();
  const key = ['role', member.userId];
  const change = useOptimisticChange({
    key,
    send: (role: Role) => app.changeMember({ id: member.userId, role }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.members }),
        // People can change their own role.
        member.userId === user.id && client.invalidateQueries({ queryKey: keys.session }),
      ]),
  });
  const role = usePendingChanges<Role>(key).at(-1) ?? member.role;
  const isYou = member.userId === user.id;
  const canChange = canManage && !isAbove(member.role, own);
  const name = nameOf(member);
  return (
    <li className={`${styles.row} ${styles.member}`}>
      <Avatar name={name} size={32} />
      <span className={styles.text}>
        <span className={`one-line ${styles.name}`} dir="auto">
          {name}
          {isYou && <span className="text-3"> (you)</span>}
        </span>
        <span className="one-line small text-3">{member.email}</span>
      </span>
      {canChange ? (
        <RoleSelect aria-label={`Role of ${name}`} own={own} value={role} onChange={change.mutate} />
      ) : (
        <span className={styles.side}>{capitalize(member.role)}</span>
      )}
      {(isYou || canChange) && (
        <Button
          size="xs"
          variant="quiet"
          className={styles.act}
          onClick={onRemove}
          aria-label={isYou ? 'Leave' : `Remove ${name}`}
        >
          {isYou ? 'Leave' : 'Remove'}
        </Button>
      )}
    </li>
  );
};

const RemoveDialog = ({ member, onClose }: { member: Member | undefined; onClose: () => void }) => {
  const { user } = useSession();
  const { name: workspace } = useWorkspace();
  const client = useQueryClient();
  const isYou = member?.userId === user.id;
  const remove = async () => {
    if (!member) return;
    await app.removeMember({ id: member.userId });
    // Reload, so that no data of the workspace stays in memory.
    if (isYou) location.assign('/');
    else await client.invalidateQueries({ queryKey: keys.members });
  };
  return (
    <ConfirmDialog
      opened={member !== undefined}
      onClose={onClose}
      title={isYou ? `Leave ${workspace}?` : `Remove ${member ? nameOf(member) : ''}?`}
      act={isYou ? 'Leave' : 'Remove'}
      kind="danger"
      onConfirm={remove}
    >
      {isYou ? 'Your' : 'Their'} personal tokens for {workspace} stop working at once, and joining again does not bring
      them back. What {isYou ? 'you' : 'they'} wrote stays.
    </ConfirmDialog>
  );
};
