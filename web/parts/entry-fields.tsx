import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { EntryForm } from './entry-card.tsx';
import { TryFault } from './try-fault.tsx';

/** Navigates to `next` after success. */
export const TryForm = ({
  act,
  refused,
  next,
  enter,
  isRepeatable,
  children,
}: {
  /** Label of the button. */
  act: string;
  /** Title of the error. */
  refused: string;
  next: string;
  enter: () => Promise<unknown>;
  isRepeatable?: boolean;
  children?: React.ReactNode;
}) => {
  const [isRunning, setIsRunning] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const submit = async () => {
    setIsRunning(true);
    setFault(undefined);
    try {
      await enter();
      location.assign(next);
    } catch (error) {
      setFault(error);
      setIsRunning(false);
    }
  };
  return (
    <EntryForm onSubmit={submit}>
      {children}
      {fault !== undefined && <TryFault fault={fault} title={refused} isRepeatable={isRepeatable} />}
      <Button type="submit" variant="ink" size="lg" loading={isRunning}>
        {act}
      </Button>
    </EntryForm>
  );
};

export const EmailField = ({
  value,
  onChange,
  autoFocus = false,
}: {
  value: string;
  onChange: (value: string) => void;
  autoFocus?: boolean;
}) => (
  <TextInput
    label="E-mail address"
    type="email"
    autoComplete="username"
    required
    withAsterisk={false}
    autoFocus={autoFocus}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

/** Continues to the organisation's sign-in page. */
export const OutsideForm = ({ to, children }: { to: () => string; children?: React.ReactNode }) => (
  <EntryForm onSubmit={() => location.assign(to())}>
    {children}
    <Button type="submit" variant="ink" size="lg">
      Continue
    </Button>
  </EntryForm>
);
