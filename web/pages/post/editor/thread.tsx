import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { LayoutTemplate, Plus } from 'lucide-react';
import { useNetworks } from '#web/base/networks.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { addItem } from './draft.ts';
import styles from './thread.module.css';
import { ThreadItem } from './thread-item.tsx';
import { useEditor } from './use-editor.ts';
import { fields } from './use-reveal.ts';
import type { Uploads } from './use-uploads.ts';

export const Thread = ({
  uploads,
  onFocusItem,
  onTemplate,
}: {
  uploads: Uploads;
  onFocusItem: (index: number) => void;
  onTemplate: () => void;
}) => {
  const { side, editSide } = useEditor();
  const isThread = side.items.length > 1;
  const add = () => {
    editSide(addItem);
    requestAnimationFrame(() => document.getElementById(fields.body(side.items.length))?.focus());
  };
  return (
    <>
      <ol className={styles.items} aria-label="Items">
        {side.items.map((item, index) => (
          <li key={item.key} className={styles.row} onFocus={() => onFocusItem(index)}>
            {isThread && (
              <span className={styles.rail} aria-hidden="true">
                <span className={styles.number}>{index + 1}</span>
              </span>
            )}
            <ThreadItem item={item} index={index} uploads={uploads}>
              {index === side.items.length - 1 && (
                <>
                  <Tooltip label="Insert template">
                    <ActionIcon aria-label="Insert template" onClick={onTemplate}>
                      <LayoutTemplate size={18} strokeWidth={1.75} aria-hidden="true" />
                    </ActionIcon>
                  </Tooltip>
                  <Button variant="quiet" size="sm" leftSection={<Plus size={15} aria-hidden="true" />} onClick={add}>
                    Add to thread
                  </Button>
                </>
              )}
            </ThreadItem>
          </li>
        ))}
      </ol>
      {isThread && <ThreadNote />}
    </>
  );
};

/** Networks on which further items become replies. */
const ThreadNote = () => {
  const { chosen, limitsOf } = useEditor();
  const networks = useNetworks();
  const threaded = chosen.filter((account) => limitsOf(account)?.thread.form === 'Replies');
  const names = [...new Set(threaded.map(({ network }) => networks.of(network).name))];
  if (names.length === 0) return null;
  return <p className={`small text-3 ${styles.note}`}>Threads go out on {joinWithAnd(names)}.</p>;
};
