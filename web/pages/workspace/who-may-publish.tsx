import { Radio } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeWorkspaceInput } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions, useWorkspace } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Section } from '#web/parts/section.tsx';
import { WhoMay } from '#web/parts/who-may.tsx';
import styles from './workspace.module.css';

type Publishers = NonNullable<ChangeWorkspaceInput['publishers']>;

const choices: Record<Publishers, { label: string; description: string }> = {
  editors: {
    label: 'Everyone who edits',
    description: 'Owners, admins and editors publish with their own click.',
  },
  approvers: {
    label: 'Approvers only',
    description:
      'Owners, admins and the editors you name under Members publish and decide. What other editors would publish, move or delete becomes a request.',
  },
};

export const WhoMayPublish = () => {
  const { publishers } = useWorkspace();
  const { isOwner } = usePermissions();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (next: Publishers) => app.changeWorkspace({ publishers: next }),
    onSuccess: (session) => client.setQueryData(keys.session, session),
  });
  const current = (change.isPending ? change.variables : undefined) ?? publishers;
  return (
    <Section title="Who may publish" note={!isOwner && <WhoMay act="change it" roles={['owner']} />}>
      {isOwner ? (
        <Radio.Group
          aria-label="Who may publish"
          value={current}
          onChange={(next) => change.mutate(next as Publishers)}
        >
          <div className={styles.choices}>
            {Object.entries(choices).map(([value, words]) => (
              <Radio key={value} value={value} {...words} />
            ))}
          </div>
        </Radio.Group>
      ) : (
        <p>
          {choices[publishers].label}. <span className="text-2">{choices[publishers].description}</span>
        </p>
      )}
      {change.error && <FaultBanner fault={change.error} title="The setting was not changed" />}
    </Section>
  );
};
