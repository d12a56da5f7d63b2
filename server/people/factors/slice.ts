import { hourMs } from '#contracts/time';
import type { AuditLog } from '#server/access/audit/audit-log';
import { keyOfAddress } from '#server/access/auth/rate-limit';
import type { Auth } from '#server/access/auth/slice';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { ProofOfPerson } from '#server/base/signed-in';
import type { Database } from '#server/base/store/database';
import type { Messages } from '#server/messaging/messages/messages';
import type { People } from '#server/people/workspaces/people';
import { createPasskeys } from './passkeys.ts';
import { passkeyRoutes } from './routes.ts';
import { createPasskeyStore } from './store.ts';

export const openPasskeys = ({
  database,
  auth: { sessions, rateLimits },
  people,
  proof,
  messages,
  audit,
  live,
  config: { baseUrl, outsideProvider, signInsPerHour },
  wallClock: clock,
}: {
  database: Database;
  auth: Pick<Auth, 'sessions' | 'rateLimits'>;
  people: People;
  proof: ProofOfPerson;
  messages: Messages;
  audit: AuditLog;
  live: Live;
  config: Config;
  wallClock: Clock;
}) => {
  const store = createPasskeyStore(database);
  const passkeys = createPasskeys({ store, baseUrl, clock });
  const limit = rateLimits.create({ name: 'passkey', limit: signInsPerHour, windowMs: hourMs });
  return {
    passkeys,
    routes: passkeyRoutes({
      passkeys,
      people,
      sessions,
      proof,
      messages,
      audit,
      accessChanged: live.accessChanged,
      mayTry: (address) => limit.mustHaveLeft(keyOfAddress(address)),
      transaction: store.transaction,
      hasPasswords: outsideProvider === undefined,
      baseUrl,
    }),
    forgetPerson: passkeys.removeAll,
    chores: { 'forget old requests to passkeys': { every: '1 hour', run: passkeys.purge } },
  };
};
