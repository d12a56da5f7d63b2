import { Button, TextInput } from '@mantine/core';
import { Link } from 'lucide-react';
import { useState } from 'react';
import { InsertPopover } from './insert-popover.tsx';
import styles from './link-button.module.css';
import { toWebAddress } from './to-web-address.ts';

/** Inserts an address into the text field with this id. */
export const LinkButton = ({ field }: { field: string }) => (
  <InsertPopover field={field} label="Link" icon={Link} padding={12} className="desk-only">
    {(insert) => <LinkForm onInsert={(address) => insert(withSpace(field, address))} />}
  </InsertPopover>
);

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
