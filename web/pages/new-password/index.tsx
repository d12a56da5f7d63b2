import { Button, Checkbox } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isPosthornError } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { fieldFault } from '#web/base/faults.ts';
import { EntryCard, EntryForm } from '#web/parts/entry-card.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PasswordField } from '#web/parts/password-field.tsx';

/** Submitting uses up the link, not opening it: mail scanners open links. */
const NewPassword = () => {
  const { secret } = useParams({ strict: false }) as { secret: string };
  const [password, setPassword] = useState('');
  const [endTokens, setEndTokens] = useState(true);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => app.resetPassword({ secret, password, endTokens }),
    onSuccess: () => location.replace('/'),
  });
  if (isPosthornError(error, 'NotFound')) {
    return (
      <EntryCard
        title="This link is used up"
        lead={
          <p>
            It works once, within an hour. If you have set a password with it,{' '}
            <Link to="/sign-in">sign in with that one</Link>.
          </p>
        }
        foot={<Link to="/forgot-password">Ask for a new one</Link>}
      />
    );
  }
  const ofField = fieldFault(error, 'password', 'The password');
  return (
    <EntryCard
      title="Set a new password"
      lead="All browsers you are signed in with are signed out, MCP clients lose their access, and you are signed in here."
    >
      <EntryForm onSubmit={mutate}>
        <PasswordField
          label="New password"
          help="At least 8 characters."
          value={password}
          error={ofField}
          onChange={setPassword}
          isNew
          autoFocus
        />
        <Checkbox
          label="End my personal tokens too"
          description="Programs that use one stop working until you give them a new one."
          checked={endTokens}
          onChange={(event) => setEndTokens(event.currentTarget.checked)}
        />
        {error && !ofField && (
          <FaultBanner
            fault={error}
            title="The password was not changed"
            unanswered="It may be set all the same. Check the connection, then try again. If the link is used up, sign in with the new password."
          />
        )}
        <Button type="submit" variant="ink" size="lg" loading={isPending}>
          Set the password
        </Button>
      </EntryForm>
    </EntryCard>
  );
};

export default NewPassword;
