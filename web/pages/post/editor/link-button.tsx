import { ActionIcon, Button, Popover, TextInput, Tooltip } from '@mantine/core';
import { Link } from 'lucide-react';
import { useState } from 'react';
import { insertText } from './insert-text.ts';
import styles from './link-button.module.css';
import { toWebAddress } from './to-web-address.ts';

/** Inserts an address into the text field with this id. */
export const LinkButton = ({ field }: { field: string }) => {
  const [opened, setOpened] = useState(false);
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
        <Tooltip label="Link" disabled={opened}>
          <ActionIcon
            className="desk-only"
            aria-label="Link"
            aria-haspopup="dialog"
            aria-expanded={opened}
            onClick={() => setOpened(!opened)}
          >
            <Link size={18} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Link" p={12}>
        {opened && (
          <LinkForm
            onInsert={(address) => {
              setOpened(false);
              // After the popover has given the focus back.
              requestAnimationFrame(() => insertText(field, withSpace(field, address)));
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
};

const LinkForm = ({ onInsert }: { onInsert: (address: string) => void }) => {
  const [text, setText] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        const address = toWebAddress(text);
        if (address === undefined) setIsWrong(true);
        else onInsert(address);
      }}
    >
      <TextInput
        label="Address"
        placeholder="example.com/menu"
        inputMode="url"
        autoComplete="off"
        value={text}
        error={isWrong && 'Enter a web address, such as example.com/menu.'}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setIsWrong(false);
        }}
        data-autofocus
      />
      <Button type="submit" variant="ink" size="sm">
        Insert link
      </Button>
    </form>
  );
};

/** Adds a space before the address if it would otherwise merge with the word before it. */
const withSpace = (id: string, address: string) => {
  const field = document.getElementById(id);
  if (!(field instanceof HTMLTextAreaElement)) return address;
  const before = field.value.slice(0, field.selectionStart);
  return before === '' || /\s$/.test(before) ? address : ` ${address}`;
};
