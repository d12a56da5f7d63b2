import { Button, PasswordInput, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { GetConnectFormOutput } from '#generated/app-client';
import { fieldFault } from '#web/base/faults.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { useConnect } from './use-connect.ts';

/** For networks that take credentials here instead of on their own page. */
export const ConnectForm = ({ form: { network, fields } }: { form: GetConnectFormOutput }) => {
  const [values, setValues] = useState<Record<string, string>>({});
  const { begin, fault, isRunning } = useConnect(network);
  const [hasSubmitted, setHasSubmitted] = useState(false);
  const isMissing = ({ name, required }: (typeof fields)[number]) => required && !values[name]?.trim();
  const faults = fields.map((field) =>
    hasSubmitted && isMissing(field)
      ? `${field.label} is needed.`
      : fieldFault(fault, `values.${field.name}`, field.label),
  );
  return (
    <form
      className="fields"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setHasSubmitted(true);
        const missing = fields.find(isMissing);
        if (missing) document.getElementById(idOf(missing.name))?.focus();
        else void begin(values);
      }}
    >
      {fields.map(({ name, label, hint, secret, required, placeholder = '' }, index) => {
        const Field = secret ? PasswordInput : TextInput;
        return (
          <Field
            key={name}
            id={idOf(name)}
            label={label}
            description={hint}
            placeholder={placeholder}
            required={required}
            withAsterisk={false}
            value={values[name] ?? ''}
            error={faults[index]}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        );
      })}
      {fault !== undefined && faults.every((one) => one === undefined) && (
        <FaultBanner fault={fault} title="Not connected" />
      )}
      <div className="row wrap">
        <Button type="submit" variant="ink" loading={isRunning}>
          Connect
        </Button>
        <Button component={Link} to="/accounts" variant="quiet">
          Cancel
        </Button>
      </div>
    </form>
  );
};

const idOf = (name: string) => `connect-${name}`;
