import { Button } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { PasskeyFault } from './passkey-fault.tsx';

/** Its code is loaded with the first click. */
export const PasskeyButton = ({
  next,
  begin,
  finish,
  children,
}: {
  next: string;
  begin: () => Promise<{ readonly options: unknown }>;
  finish: (answer: { response: Record<string, unknown> }) => Promise<unknown>;
  children: string;
}) => {
  const [isRunning, setIsRunning] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const prove = async () => {
    setIsRunning(true);
    setFault(undefined);
    try {
      const [{ startAuthentication }, { options }] = await Promise.all([import('@simplewebauthn/browser'), begin()]);
      const response = await startAuthentication({ optionsJSON: options as never });
      await finish({ response: { ...response } });
      location.assign(next);
    } catch (error) {
      setFault(error);
      setIsRunning(false);
    }
  };
  return (
    <>
      {fault !== undefined && <PasskeyFault fault={fault} title="Not signed in" />}
      <Button
        size="lg"
        fullWidth
        mt={10}
        leftSection={<KeyRound size={16} aria-hidden="true" />}
        loading={isRunning}
        onClick={prove}
      >
        {children}
      </Button>
    </>
  );
};
