import { ActionIcon, Popover, Tooltip } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { insertText } from './insert-text.ts';

/** A tool of the text field with this id. `children` get a function that closes the popover and inserts a text. */
export const InsertPopover = ({
  field,
  label,
  icon: Icon,
  padding,
  className = '',
  children,
}: {
  field: string;
  label: string;
  icon: LucideIcon;
  padding: number;
  className?: string;
  children: (insert: (text: string) => void) => React.ReactNode;
}) => {
  const [opened, setOpened] = useState(false);
  const insert = (text: string) => {
    setOpened(false);
    // After the popover has given the focus back.
    requestAnimationFrame(() => insertText(field, text));
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
        <Tooltip label={label} disabled={opened}>
          <ActionIcon
            className={className}
            aria-label={label}
            aria-haspopup="dialog"
            aria-expanded={opened}
            onClick={() => setOpened(!opened)}
          >
            <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label} p={padding}>
        {opened && children(insert)}
      </Popover.Dropdown>
    </Popover>
  );
};
