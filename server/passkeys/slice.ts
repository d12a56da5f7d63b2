import type { AuditLog } from '#server/audit/audit-log';
import { keyOfAddress } from '#server/auth/rate-limit';
import type { Auth } from '#server/auth/slice';
import type { Clock } from '#server/clock';
import type { Config } from '#server/config/config';
import type { Live } from '#server/live/live';
import type { Messages } from '#server/messages/messages';
import type { ProofOfPerson } from '#server/signed-in';
import type { Database } from '#server/store/database';
import type { People } from '#server/workspaces/people';
import { createPasskeys } from './passkeys.ts';
import { passkeyRoutes } from './routes.ts';
import { createPasskeyStore } from './store.ts';

const hourMs = 3_600_000;

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
