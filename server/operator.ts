// The rules that most commands need, without networks, doors and jobs: a command should be over before anybody waits.
import { hasLiveAccount } from '#server/accounts/live';
import { openAudit } from '#server/audit/slice';
import { openAuth } from '#server/auth/slice';
import { createMovableClock, systemClock } from '#server/clock';
import type { Config } from '#server/config';
import { openLive } from '#server/live/slice';
import { openPlans } from '#server/plans/slice';
import { prepare } from '#server/prepare';
import { openSandboxClock } from '#server/sandbox/clock';
import { connect } from '#server/store/connect';
import { openDatabase } from '#server/store/database';
import { inWords } from '#server/store/in-words';
import { openPeople } from '#server/workspaces/open-people';

export type Operator = Awaited<ReturnType<typeof assembleOperator>>;

/** One that is used, and one for what happens outside of a transaction meanwhile. */
const pools = { poolSize: 2, onePool: true };

/** On a migrated database. */
export const openOperator = async (config: Config) => {
  const operator = await assembleOperator(config);
  const { database, sandboxClock, close } = operator;
  try {
    await prepare(database, sandboxClock, config, { info: () => undefined, warn: console.error });
    return operator;
  } catch (error) {
    await close();
    return inWords('The database cannot be used')(error as Error);
  }
};

/** On a database as it is, which nothing has been asked of yet. */
export const assembleOperator = async (config: Config) => {
  const server = await connect(config);
  const { connection, direct, replica } = server;
  const report = ({ message }: Error) => console.error(`The connection to the database was lost: ${message}`);
  const { production, statementLine } = config;
  const database = openDatabase(connection, { report, ...pools, statementLine, direct, replica });
  const clock = createMovableClock();
  const sandboxClock = openSandboxClock(database, { clock, production, hasLiveAccount: hasLiveAccount(database) });
  const { audit } = openAudit({ database, config, clock });
  const { live } = openLive({ database, report: console.error });
  const { plans } = openPlans({ database, clock });
  const auth = openAuth({ database, audit, live, config, clock, wallClock: systemClock });
  const people = openPeople({ database, auth, plans, audit, live, config, wallClock: systemClock });
  return {
    database,
    ...auth,
    ...people,
    plans,
    audit,
    sandboxClock,
    close: async () => {
      await database.close();
      await server.stop();
    },
  };
};
