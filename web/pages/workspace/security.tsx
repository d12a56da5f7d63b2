import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions, useSession, useWorkspace } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { ProofDialog } from '#web/parts/proof-dialog.tsx';
import type { toProof } from '#web/parts/proof-field.tsx';
import { Section } from '#web/parts/section.tsx';
import { WhoMay } from '#web/parts/who-may.tsx';
import styles from './workspace.module.css';

type Requirement = 'twoFactors' | 'approvalPasskey';

export const Security = () => {
  const { approvalPasskey, twoFactors } = useWorkspace();
  const { isOwner } = usePermissions();
  const { hasPasskey, hasFactor } = useSession().user;
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (next: { [Name in Requirement]?: boolean } & ReturnType<typeof toProof>) => app.changeWorkspace(next),
    onSuccess: (session) => client.setQueryData(keys.session, session),
  });
  const [lowered, setLowered] = useState<Requirement>();
  const set = (requirement: Requirement, isOn: boolean) =>
    isOn ? change.mutate({ [requirement]: true }) : setLowered(requirement);
  const { approvalPasskey: isOn = approvalPasskey, twoFactors: areTwo = twoFactors } = {
    ...(change.isPending && change.variables),
  };
  return (
    <Section title="Security" note={!isOwner && <WhoMay act="change it" roles={['owner']} />}>
      {isOwner ? (
        <div className={styles.choices}>
          <Switch
            label="Two factors for members"
            description={
              hasFactor || areTwo
                ? 'Members without an authenticator app or a passkey see nothing here until they set one up. Their tokens and MCP clients wait too.'
                : 'Members need an authenticator app or a passkey. To switch it on, set one up in your profile first.'
            }
            disabled={!hasFactor && !areTwo}
            checked={areTwo}
            onChange={(event) => set('twoFactors', event.currentTarget.checked)}
          />
          <Switch
            label="A passkey to approve"
            description={
              hasPasskey || isOn
                ? 'Whoever approves a request confirms it with a passkey. Rejecting needs none.'
                : 'Whoever approves a request confirms it with a passkey. To switch it on, add one in your profile first.'
            }
            disabled={!hasPasskey && !isOn}
            checked={isOn}
            onChange={(event) => set('approvalPasskey', event.currentTarget.checked)}
          />
        </div>
      ) : (
        <p>
          {twoFactors ? 'Members need two factors. ' : 'Members need no second factor. '}
          {approvalPasskey ? 'Whoever approves a request confirms it with a passkey.' : 'Approving needs no passkey.'}
        </p>
      )}
      {change.error && !lowered && <FaultBanner fault={change.error} title="The setting was not changed" />}
      {lowered && (
        <ProofDialog
          opened
          onClose={() => setLowered(undefined)}
          title={words[lowered].title}
          act="Switch off"
          kind="danger"
          onConfirm={(proof) => change.mutateAsync({ [lowered]: false, ...proof })}
        >
          {words[lowered].text}
        </ProofDialog>
      )}
    </Section>
  );
};

const words = {
  twoFactors: {
    title: 'Switch off two factors?',
    text: 'Members then sign in with only a password or a link.',
  },
  approvalPasskey: {
    title: 'Switch off the passkey to approve?',
    text: 'A yes then takes only a click, and its receipt names no passkey.',
  },
} as const;
