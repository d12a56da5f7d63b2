import { Button, Checkbox } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys, queries } from '#web/base/queries.ts';
import { nameOf, type Role, usePermissions, useSession, useWorkspace } from '#web/base/session.ts';
import { Avatar } from '#web/parts/avatar.tsx';
import { capitalize } from '#web/parts/capitalize.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { ProofDialog } from '#web/parts/proof-dialog.tsx';
import type { toProof } from '#web/parts/proof-field.tsx';
import { Section } from '#web/parts/section.tsx';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';
import { switchBy } from '#web/shell/open-workspace.ts';
import { RoleSelect } from './role-select.tsx';
import { isAbove } from './roles.ts';
import styles from './workspace.module.css';

export const Members = () => {
  const query = useQuery(queries.members);
  const [removing, setRemoving] = useState<Member>();
  const [resetting, setResetting] = useState<Member>();
  return (
    <Section title="Members" note={query.data && <span className="number">{query.data.members.length}</span>} card>
      <Loaded query={query} title="The members could not be loaded" rows={3} height={54}>
        {({ members }) => (
          <ul aria-label="Members">
            {members.map((member) => (
              <MemberRow
                key={member.userId}
                member={member}
                onRemove={() => setRemoving(member)}
                onReset={() => setResetting(member)}
              />
            ))}
          </ul>
        )}
      </Loaded>
      <RemoveDialog member={removing} onClose={() => setRemoving(undefined)} />
      <ResetDialog member={resetting} onClose={() => setResetting(undefined)} />
    </Section>
  );
};

const MemberRow = ({ member, onRemove, onReset }: { member: Member; onRemove: () => void; onReset: () => void }) => {
  const { user } = useSession();
  const { role: own, canManage, isOwner } = usePermissions();
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
  const { publishers } = useWorkspace();
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
      {publishers === 'approvers' && member.role === 'editor' && <ApproverBox member={member} />}
      {canChange ? (
        <RoleSelect aria-label={`Role of ${name}`} own={own} value={role} onChange={change.mutate} />
      ) : (
        <span className={styles.side}>{capitalize(member.role)}</span>
      )}
      {isOwner && !isYou && member.hasFactor && (
        <Button
          size="xs"
          variant="quiet"
          className={styles.act}
          onClick={onReset}
          aria-label={`Remove the second factors of ${name}`}
        >
          Reset factors
        </Button>
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

const ApproverBox = ({ member }: { member: Member }) => {
  const { canManage } = usePermissions();
  const client = useQueryClient();
  const key = ['approver', member.userId];
  const change = useOptimisticChange({
    key,
    send: (approver: boolean) => app.changeMember({ id: member.userId, approver }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.members }),
  });
  const isApprover = usePendingChanges<boolean>(key).at(-1) ?? member.approver;
  if (!canManage) return isApprover && <span className="small text-3">Approver</span>;
  return (
    <Checkbox
      size="xs"
      className={styles.approver}
      label="Approver"
      aria-label={`${nameOf(member)} is an approver`}
      checked={isApprover}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  );
};

/** For somebody who lost phone and recovery codes. */
const ResetDialog = ({ member, onClose }: { member: Member | undefined; onClose: () => void }) => {
  const client = useQueryClient();
  const reset = async (proof: ReturnType<typeof toProof>) => {
    if (!member) return;
    await app.resetFactors({ id: member.userId, ...proof });
    await client.invalidateQueries({ queryKey: keys.members });
  };
  return (
    <ProofDialog
      opened={member !== undefined}
      onClose={onClose}
      title={`Remove the second factors of ${member ? nameOf(member) : ''}?`}
      act="Remove them"
      kind="danger"
      onConfirm={reset}
    >
      Their authenticator app, recovery codes and passkeys stop working, and they are signed out everywhere. Be sure
      that it is them who asked: from then on their password alone signs them in. They get a mail.
    </ProofDialog>
  );
};

const RemoveDialog = ({ member, onClose }: { member: Member | undefined; onClose: () => void }) => {
  const { user } = useSession();
  const { name: workspace } = useWorkspace();
  const client = useQueryClient();
  const isYou = member?.userId === user.id;
  const remove = async () => {
    if (!member) return;
    const change = () => app.removeMember({ id: member.userId });
    await (isYou ? switchBy(change) : change());
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
