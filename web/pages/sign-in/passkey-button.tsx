import { Button } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { PasskeyFault } from '#web/parts/passkey-fault.tsx';

/** Its code is loaded with the first click. */
export const PasskeyButton = ({ next }: { next: string }) => {
  const [isRunning, setIsRunning] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const signIn = async () => {
    setIsRunning(true);
    setFault(undefined);
    try {
      const [{ startAuthentication }, { options }] = await Promise.all([
        import('@simplewebauthn/browser'),
        app.beginPasskeySignIn(),
      ]);
      const response = await startAuthentication({ optionsJSON: options as never });
      await app.signInWithPasskey({ response: { ...response } });
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
        onClick={signIn}
      >
        Sign in with a passkey
      </Button>
    </>
  );
};
