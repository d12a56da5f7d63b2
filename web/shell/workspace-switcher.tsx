import { Menu } from '@mantine/core';
import { Check, ChevronsUpDown, Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useSession, useWorkspace } from '#web/base/session.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { CurrentWorkspace } from './current-workspace.tsx';
import { openWorkspace } from './open-workspace.ts';
import styles from './workspace-switcher.module.css';

const NewWorkspace = lazy(() => import('./new-workspace.tsx'));

const WorkspaceSwitcher = () => {
  const { workspaces } = useSession();
  const { id, name } = useWorkspace();
  const [isCreating, setIsCreating] = useFormDraft('new workspace', false);
  return (
    <>
      <Menu position="bottom-start" width={236}>
        <Menu.Target>
          <button type="button" className={styles.switcher} data-tip={name}>
            <CurrentWorkspace />
            <span className="hidden">Switch workspace</span>
            <ChevronsUpDown className={styles.arrows} size={15} aria-hidden="true" />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {workspaces.map((one) => (
            <Menu.Item
              key={one.id}
              rightSection={one.id === id && <Check size={14} aria-label="open" />}
              onClick={() => one.id !== id && openWorkspace(one.id)}
            >
              <span className="one-line" dir="auto">
                {one.name}
              </span>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Plus size={14} aria-hidden="true" />} onClick={() => setIsCreating(true)}>
            New workspace
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>{isCreating && <NewWorkspace onClose={() => setIsCreating(false)} />}</Suspense>
    </>
  );
};

export default WorkspaceSwitcher;
