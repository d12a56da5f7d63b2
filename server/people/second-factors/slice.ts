import { hourMs } from '#contracts/time';
import type { AuditLog } from '#server/access/audit/audit-log';
import { keyOfAddress } from '#server/access/auth/rate-limit';
import type { Auth } from '#server/access/auth/slice';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { Seal } from '#server/base/secrets/seal';
import type { Database } from '#server/base/store/database';
import type { Messages } from '#server/messaging/messages/messages';
import { mailAboutFactors } from '#server/people/passkeys/mail-about-factors';
import type { Passkeys } from '#server/people/passkeys/passkeys';
import type { People } from '#server/people/workspaces/people';
import { createFactors } from './factors.ts';
import { createProofOfPerson } from './proof-of-person.ts';
import { secondFactorRoutes } from './routes.ts';
import { createFactorStore } from './store.ts';

export const openSecondFactors = ({
  database,
  auth: { sessions, signIns, tries, rateLimits },
  people,
  passkeys,
  messages,
  audit,
  seal,
  live,
  config: { baseUrl, outsideProvider, signInsPerHour },
  wallClock: clock,
}: {
  database: Database;
  auth: Pick<Auth, 'sessions' | 'signIns' | 'tries' | 'rateLimits'>;
  people: People;
  passkeys: Passkeys;
  messages: Messages;
  audit: AuditLog;
  seal: Seal;
  live: Live;
  config: Config;
  wallClock: Clock;
}) => {
  const store = createFactorStore(database);
  const factors = createFactors({ store, seal, tries, issuer: `Posthorn ${new URL(baseUrl).host}`, clock });
  const proof = createProofOfPerson({ people, factors, tries });
  const limit = rateLimits.create({ name: 'second-factor', limit: signInsPerHour, windowMs: hourMs });
  return {
    factors,
    proof,
    routes: secondFactorRoutes({
      factors,
      passkeys,
      proof,
      people,
      signIns,
      sessions,
      audit,
      mail: (to, words) => mailAboutFactors({ messages, baseUrl }, to, words),
      accessChanged: live.accessChanged,
      mayTry: (address) => limit.mustHaveLeft(keyOfAddress(address)),
      transaction: store.transaction,
      hasPasswords: outsideProvider === undefined,
    }),
    forgetPerson: factors.removeAll,
    // The factor stays, but no code matches it any more. Recovery codes still work.
    discards: { 'totp_factors.sealed_secret': store.discardSecret },
  };
};

export type SecondFactors = ReturnType<typeof openSecondFactors>;
