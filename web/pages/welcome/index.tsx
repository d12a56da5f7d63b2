import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { isPosthornError } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { EntryCard, EntryFault, EntryForm } from '#web/parts/entry-card.tsx';

/** One-time sign-in link. This script uses it up, not the request of the page: link previews request pages too. */
const Welcome = () => {
  const { secret } = useParams({ strict: false }) as { secret: string };
  const [fault, setFault] = useState<unknown>();
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    app.enterByLink({ secret }).then(() => location.replace('/'), setFault);
  }, [secret]);
  if (fault === undefined) return null;
  if (!isPosthornError(fault, 'NotFound')) {
    return <EntryFault card="Welcome" fault={fault} title="You are not signed in" onRetry={() => location.reload()} />;
  }
  return (
    <EntryCard
      title="This link is used up"
      lead={
        <>
          It works once, within an hour. For a new one, run <code>npx posthorn link</code> where Posthorn runs, or sign
          in with your password.
        </>
      }
    >
      <EntryForm onSubmit={() => location.assign('/')}>
        <Button type="submit" variant="ink" size="lg">
          Go to Posthorn
        </Button>
      </EntryForm>
    </EntryCard>
  );
};

export default Welcome;
