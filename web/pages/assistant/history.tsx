import { ActionIcon, Drawer } from '@mantine/core';
import { type UseQueryResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { MessageCircle, Trash2 } from 'lucide-react';
import type { ListChatsOutput } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { When } from '#web/parts/when.tsx';
import styles from './history.module.css';

const History = ({
  list,
  open,
  onOpen,
  onClose,
}: {
  list: UseQueryResult<ListChatsOutput>;
  open: string | undefined;
  /** Undefined after the open chat was deleted. */
  onOpen: (id: string | undefined) => void;
  onClose: () => void;
}) => {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) => app.deleteChat({ id }),
    onSuccess: (_done, id) => {
      if (id === open) onOpen(undefined);
      return client.invalidateQueries({ queryKey: keys.chats });
    },
  });
  return (
    <Drawer opened onClose={onClose} title="Your chats" size={380}>
      {remove.error && <FaultBanner fault={remove.error} title="Not deleted" />}
      <Loaded query={list} title="Your chats could not be loaded">
        {({ chats }) =>
          chats.length === 0 ? (
            <EmptyState icon={MessageCircle} title="No chat yet">
              What you ask is kept here, for you alone.
            </EmptyState>
          ) : (
            <ul className={styles.list}>
              {chats.map(({ id, title, updatedAt }) => (
                <li key={id} className={styles.row} aria-current={id === open ? 'true' : undefined}>
                  <button
                    type="button"
                    className={styles.open}
                    onClick={() => {
                      onOpen(id);
                      onClose();
                    }}
                  >
                    <span className="one-line" dir="auto">
                      {title}
                    </span>
                    <When at={updatedAt} className="caption text-3" />
                  </button>
                  <ActionIcon
                    aria-label={`Delete ${title}`}
                    loading={remove.isPending && remove.variables === id}
                    onClick={() => remove.mutate(id)}
                  >
                    <Trash2 size={15} strokeWidth={1.75} aria-hidden="true" />
                  </ActionIcon>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Drawer>
  );
};

export default History;
