import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { app } from '#web/base/api.ts';
import { ownPath } from '#web/base/own-path.ts';
import { queries } from '#web/base/queries.ts';
import { Banner } from '#web/parts/banner.tsx';
import { EntryCard, EntryFault, EntryLoading } from '#web/parts/entry-card.tsx';
import { EmailField, OutsideForm, TryForm } from '#web/parts/entry-fields.tsx';
import { OtherAddress } from '#web/parts/other-address.tsx';
import { PasskeyButton } from '#web/parts/passkey-button.tsx';
import { PasswordField } from '#web/parts/password-field.tsx';
import { usePageSearch } from '#web/parts/use-page-search.ts';

/** Why a sign-in through the organisation failed. */
const refusals: Record<string, [title: string, text: string]> = {
  NotInvited: ['You are not a member here', 'Ask an admin of the workspace for an invitation to your address.'],
  NoAddress: ['Your address is not confirmed', 'Confirm your e-mail address at your organisation, then sign in again.'],
  NeedsCode: ['The first owner needs a code', 'Posthorn printed it when it started. Type it in on the next page.'],
  NotFinished: ['The sign-in was not finished', 'It took too long, or began in another browser. Try again.'],
  Unreachable: ['Your organisation does not answer', 'Its sign-in page cannot be reached. Try again later.'],
};

const SignIn = () => {
  const [search] = usePageSearch<'next' | 'refused' | 'ended'>();
  const next = ownPath(search.next);
  // Another tab may have signed in meanwhile.
  const { data: entrance, error, refetch } = useQuery({ ...queries.entrance, refetchOnWindowFocus: 'always' });
  const refusal = search.refused === undefined ? undefined : (refusals[search.refused] ?? refusals.NotFinished);
  const elsewhere = entrance?.signedInAs ? next : entrance?.empty ? '/sign-up' : undefined;
  const redirectTo = refusal ? undefined : elsewhere;
  useEffect(() => {
    if (redirectTo !== undefined) location.replace(redirectTo);
  }, [redirectTo]);
  if (error && !entrance)
    return <EntryFault card="Sign in" fault={error} title="The page could not be loaded" onRetry={refetch} />;
  if (entrance === undefined || redirectTo !== undefined) return <EntryLoading card="Sign in" />;
  return (
    <EntryCard
      title="Sign in"
      foot={
        <>
          {!entrance.outside && (
            <p>
              <Link to="/forgot-password">Forgot your password?</Link>
            </p>
          )}
          <p>New here? Ask an admin of the workspace for an invitation.</p>
        </>
      }
    >
      <OtherAddress address={entrance.address} />
      {refusal && (
        <div style={{ marginTop: 16 }}>
          <Banner tone="orange" title={refusal[0]}>
            {refusal[1]}
          </Banner>
        </div>
      )}
      {search.ended !== undefined && !refusal && (
        <div style={{ marginTop: 16 }}>
          <Banner tone="blue" title="Your session has ended">
            It was ended in another browser, or by a new password, or it is too old. Posts and new comments that were
            not saved are kept in this browser.
            {search.ended === 'form' && ' What you entered is kept in this tab, except passwords and keys.'}
          </Banner>
        </div>
      )}
      {entrance.outside ? (
        <OutsideForm to={() => (entrance.empty ? '/sign-up' : beginPath(next))}>
          <p className="text-2">Your organisation signs you in.</p>
        </OutsideForm>
      ) : (
        <>
          <Password next={next} />
          {canUsePasskeys() && (
            <PasskeyButton next={next} begin={app.beginPasskeySignIn} finish={app.signInWithPasskey}>
              Sign in with a passkey
            </PasskeyButton>
          )}
        </>
      )}
    </EntryCard>
  );
};

/** Browsers only support passkeys on https and on localhost, and not for an IP address. */
const canUsePasskeys = () =>
  window.isSecureContext && 'credentials' in navigator && !/^[\d.]+$|^\[/.test(location.hostname);

const beginPath = (next: string) => `/sign-in/begin?next=${encodeURIComponent(next)}`;

const Password = ({ next }: { next: string }) => {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return (
    <TryForm
      act="Sign in"
      isRepeatable
      refused="Not signed in"
      next={next}
      enter={() => app.signIn({ email: email.trim(), password })}
    >
      <EmailField value={email} onChange={setEmail} autoFocus />
      <PasswordField value={password} onChange={setPassword} />
    </TryForm>
  );
};

export default SignIn;
