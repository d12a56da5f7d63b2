import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Check, ChevronsUpDown, Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { app } from '#web/api.ts';
import { faultOf } from '#web/faults.ts';
import { Mark } from '#web/parts/mark.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import { queries } from '#web/queries.ts';
import { useSession, useWorkspace } from '#web/session.ts';
import styles from './workspace-switcher.module.css';

const NewWorkspace = lazy(() => import('./new-workspace.tsx'));

/** Everything of the old workspace is forgotten with the page. */
/** Begins at home, or reads the page again that stands there. */
export const openWorkspace = async (id: string, { stay = false } = {}) => {
  try {
    await app.openWorkspace({ id });
    if (stay) location.reload();
    else location.assign('/');
  } catch (error) {
    showToast({ tone: 'red', text: faultOf(error).message });
  }
};

export const WorkspaceSwitcher = () => {
  const { workspaces } = useSession();
  const { id, name } = useWorkspace();
  const [making, setMaking] = useState(false);
  const members = useQuery(queries.members).data?.members.length;
  return (
    <>
      <Menu position="bottom-start" width={236}>
        <Menu.Target>
          <button type="button" className={styles.switcher}>
            <Mark size={28} />
            <span className={styles.text}>
              <span className={`one-line ${styles.name}`}>{name}</span>
              <span className="caption text-3">{members === undefined ? ' ' : memberLine(members)}</span>
            </span>
            <span className="hidden">Switch workspace</span>
            <ChevronsUpDown size={15} aria-hidden="true" />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {workspaces.map((one) => (
            <Menu.Item
              key={one.id}
              rightSection={one.id === id && <Check size={14} aria-label="open" />}
              onClick={() => one.id !== id && openWorkspace(one.id)}
            >
              <span className="one-line">{one.name}</span>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Plus size={14} aria-hidden="true" />} onClick={() => setMaking(true)}>
            New workspace
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>{making && <NewWorkspace onClose={() => setMaking(false)} />}</Suspense>
    </>
  );
};

const memberLine = (members: number) => (members === 1 ? 'Just you' : `${members} members`);
