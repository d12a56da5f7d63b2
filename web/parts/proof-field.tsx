import { PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReadFactorsOutput } from '#generated/app-client';
import { fieldFault } from '#web/base/faults.ts';
import { queries } from '#web/base/queries.ts';

export type Asks = ReadFactorsOutput['asks'];

export const useAsks = (enabled = true): Asks => useQuery({ ...queries.factors, enabled }).data?.asks ?? 'password';

/** Asks people to prove who they are before one of the weightiest changes, such as of their sign-in factors. */
export const ProofField = ({
  asks,
  value,
  onChange,
  error,
  purpose = '',
}: {
  asks: Asks;
  value: string;
  onChange: (value: string) => void;
  error: unknown;
  /** `, to remove “Phone”`: tells fields apart that are shown together. */
  purpose?: string;
}) => {
  const shared = {
    required: true,
    withAsterisk: false,
    value,
    error: proofFault(error),
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.value),
  };
  if (asks === 'password') {
    return <PasswordInput label={`Your password${purpose}`} autoComplete="current-password" {...shared} />;
  }
  if (asks === 'sign-in') {
    return <p className="small text-2">You signed in more than an hour ago. Sign in again first.</p>;
  }
  return (
    asks === 'code' && (
      <TextInput
        label={`A code from your app, or a recovery code${purpose}`}
        autoComplete="one-time-code"
        maxLength={100}
        {...shared}
      />
    )
  );
};

export const proofFault = (error: unknown) =>
  fieldFault(error, 'password', 'The password') ?? fieldFault(error, 'code', 'The code');

export const toProof = (asks: Asks, value: string) =>
  asks === 'password' ? { password: value } : asks === 'code' ? { code: value } : {};
