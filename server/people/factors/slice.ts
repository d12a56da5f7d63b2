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
import type { People } from '#server/people/workspaces/people';
import { createFactorStore } from './factor-store.ts';
import { createFactors } from './factors.ts';
import { createMailAboutFactors } from './mail-about-factors.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { createPasskeyStore } from './passkey-store.ts';
import { createPasskeys } from './passkeys.ts';
import { createProofOfPerson } from './proof-of-person.ts';
import { secondFactorRoutes } from './second-factor-routes.ts';

export type OpenFactors = ReturnType<typeof openFactors>;

export const openFactors = ({
  database,
  auth: { sessions, signIns, tries, rateLimits },
  people,
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
  messages: Messages;
  audit: AuditLog;
  seal: Seal;
  live: Live;
  config: Config;
  wallClock: Clock;
}) => {
  const store = createFactorStore(database);
  const passkeys = createPasskeys({ store: createPasskeyStore(database), baseUrl, clock });
  const factors = createFactors({ store, seal, tries, issuer: `Posthorn ${new URL(baseUrl).host}`, clock });
  const proof = createProofOfPerson({ people, factors, tries });
  const limitTries = (name: string) => {
    const limit = rateLimits.create({ name, limit: signInsPerHour, windowMs: hourMs });
    return (address: string) => limit.mustHaveLeft(keyOfAddress(address));
  };
  const shared = {
    passkeys,
    proof,
    people,
    sessions,
    audit,
    mail: createMailAboutFactors({ messages, baseUrl }),
    accessChanged: live.accessChanged,
    transaction: database.transaction,
    hasPasswords: outsideProvider === undefined,
  };
  return {
    passkeys,
    proof,
    routes: {
      ...passkeyRoutes({ ...shared, mayTry: limitTries('passkey') }),
      ...secondFactorRoutes({ ...shared, factors, signIns, mayTry: limitTries('second-factor') }),
    },
    forgetPerson: async (userId: string) => {
      await passkeys.removeAll(userId);
      await factors.removeAll(userId);
    },
    chores: { 'forget old requests to passkeys': { every: '1 hour', run: passkeys.purge } },
    // The factor stays, but no code matches it any more. Recovery codes still work.
    discards: { 'totp_factors.sealed_secret': store.discardSecret },
  };
};
