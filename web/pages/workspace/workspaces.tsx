import { Button } from '@mantine/core';
import { Check, Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useSession, useWorkspace } from '#web/base/session.ts';
import { capitalize } from '#web/parts/capitalize.ts';
import { Section } from '#web/parts/section.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { openWorkspace } from '#web/shell/open-workspace.ts';
import styles from './workspace.module.css';

const NewWorkspace = lazy(() => import('#web/shell/new-workspace.tsx'));

export const Workspaces = () => {
  const { workspaces, user } = useSession();
  const { id: openId } = useWorkspace();
  const [isCreating, setIsCreating] = useFormDraft('new workspace of the list', false);
  return (
    <Section
      title="Your workspaces"
      note="MCP clients act in the one you opened last"
      action={
        user.mayMakeWorkspaces && (
          <Button size="xs" leftSection={<Plus size={14} aria-hidden="true" />} onClick={() => setIsCreating(true)}>
            New workspace
          </Button>
        )
      }
      card
    >
      <ul aria-label="Your workspaces">
        {workspaces.map(({ id, name, role }) => (
          <li key={id} className={styles.row}>
            <span className={styles.text}>
              <span className={`one-line ${styles.name}`} dir="auto">
                {name}
              </span>
              <span className="small text-3">{capitalize(role)}</span>
            </span>
            {id === openId ? (
              <span className={styles.side}>
                <Check size={14} aria-hidden="true" /> Open
              </span>
            ) : (
              <Button size="xs" onClick={() => openWorkspace(id)} aria-label={`Switch to ${name}`}>
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Suspense>{isCreating && <NewWorkspace onClose={() => setIsCreating(false)} />}</Suspense>
    </Section>
  );
};
