import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isPosthornError } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { ownPath } from '#web/base/own-path.ts';
import { EntryCard, EntryFault, EntryForm, EntryLoading } from '#web/parts/entry-card.tsx';
import { TryForm } from '#web/parts/entry-fields.tsx';
import { PasskeyButton } from '#web/parts/passkey-button.tsx';
import { usePageSearch } from '#web/parts/use-page-search.ts';

/** After a password or a link, for people who have a second factor. */
const SecondFactor = () => {
  const [search] = usePageSearch<'next'>();
  const next = ownPath(search.next);
  const { data, error, refetch } = useQuery({
    queryKey: ['second-step'],
    queryFn: ({ signal }) => app.readSecondStep({ signal }),
    retry: false,
    refetchOnWindowFocus: false,
  });
  if (isPosthornError(error, 'NotFound')) {
    return (
      <EntryCard title="This sign-in has ended" lead="It waits for 10 minutes and 10 tries. Begin again.">
        <EntryForm onSubmit={() => location.assign(`/sign-in?${new URLSearchParams({ next })}`)}>
          <Button type="submit" variant="ink" size="lg">
            Sign in
          </Button>
        </EntryForm>
      </EntryCard>
    );
  }
  if (error) {
    return <EntryFault card="Second step" fault={error} title="The page could not be loaded" onRetry={refetch} />;
  }
  if (data === undefined) return <EntryLoading card="Second step" />;
  return (
    <EntryCard
      title="Second step"
      lead="Your password or link was right. Now show that it is you."
      foot="All of it is lost? An owner of your workspace can remove your factors, and so can whoever runs Posthorn here."
    >
      {data.totp && <CodeForm next={next} />}
      {data.passkey && (
        <PasskeyButton next={next} begin={app.beginSecondStep} finish={app.finishSecondStep}>
          Use a passkey
        </PasskeyButton>
      )}
    </EntryCard>
  );
};

const CodeForm = ({ next }: { next: string }) => {
  const [code, setCode] = useState('');
  return (
    <TryForm act="Continue" refused="Not signed in" next={next} enter={() => app.finishSecondStep({ code })}>
      <TextInput
        label="Code from your app"
        description="Or one of your recovery codes."
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellCheck={false}
        required
        withAsterisk={false}
        autoFocus
        maxLength={100}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </TryForm>
  );
};

export default SecondFactor;
