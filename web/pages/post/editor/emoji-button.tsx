import { ActionIcon, Popover, Tooltip } from '@mantine/core';
import { Smile } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { insertText } from './insert-text.ts';

/** Loaded on first opening, because the emoji data is as large as the editor. */
const EmojiPicker = lazy(() => import('./emoji-picker.tsx'));

/** Inserts into the text field with this id. */
export const EmojiButton = ({ field }: { field: string }) => {
  const [opened, setOpened] = useState(false);
  const insert = (emoji: string) => {
    setOpened(false);
    // After the popover has given the focus back.
    requestAnimationFrame(() => insertText(field, emoji));
  };
  return (
    <Popover
      opened={opened}
      onDismiss={() => setOpened(false)}
      position="bottom-start"
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <Tooltip label="Emoji" disabled={opened}>
          <ActionIcon
            aria-label="Emoji"
            aria-haspopup="dialog"
            aria-expanded={opened}
            onClick={() => setOpened(!opened)}
          >
            <Smile size={18} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Emoji" p={8}>
        <Suspense fallback={<div style={{ width: 304, height: 320 }} aria-busy="true" />}>
          {opened && <EmojiPicker onChoose={insert} />}
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
};
