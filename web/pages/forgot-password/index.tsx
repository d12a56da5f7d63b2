import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { queries } from '#web/base/queries.ts';
import { EntryCard, EntryFault, EntryForm, EntryLoading } from '#web/parts/entry-card.tsx';
import { EmailField } from '#web/parts/entry-fields.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';

const back = <Link to="/sign-in">Back to sign-in</Link>;

const ForgotPassword = () => {
  const { data: entrance, error, refetch } = useQuery(queries.entrance);
  const [email, setEmail] = useState('');
  const request = useMutation({ mutationFn: () => app.forgotPassword({ email: email.trim() }) });
  if (error) {
    return (
      <EntryFault
        card="Forgot your password?"
        foot={back}
        fault={error}
        title="The page could not be loaded"
        onRetry={refetch}
      />
    );
  }
  if (entrance === undefined) return <EntryLoading card="Forgot your password?" foot={back} />;
  if (entrance.outside || !entrance.mail) {
    return (
      <EntryCard
        title="Forgot your password?"
        foot={back}
        lead={
          entrance.outside ? (
            'There are no passwords here: your organisation signs you in.'
          ) : (
            <>
              No mail is sent from here. Ask whoever runs Posthorn for a link: <code>npx posthorn link</code> with your
              address makes one that works once.
            </>
          )
        }
      />
    );
  }
  if (request.isSuccess) {
    return (
      <EntryCard
        title="Check your mail"
        foot={back}
        lead={`If somebody here has the address ${email.trim()}, a link is on its way. It works once, within an hour. An address gets at most three in an hour.`}
      />
    );
  }
  return (
    <EntryCard title="Forgot your password?" lead="We mail you a link to set a new one." foot={back}>
      <EntryForm onSubmit={request.mutate}>
        <EmailField value={email} onChange={setEmail} autoFocus />
        {request.error && (
          <FaultBanner
            fault={request.error}
            title="The mail was not sent"
            unanswered="A link may be on its way all the same. Check the connection and your mail, then try again."
          />
        )}
        <Button type="submit" variant="ink" size="lg" loading={request.isPending}>
          Send the link
        </Button>
      </EntryForm>
    </EntryCard>
  );
};

export default ForgotPassword;
