import type pg from 'pg';
import { CarefulClient } from './careful-client.ts';
import type { Connection, Place } from './connection.ts';

const connectMs = 5_000;

type Done = (error: Error) => void;

/** pg connects to one server. Of several, ours connects to the one that takes writes. */
export const clientFor = ({ hosts }: Connection): typeof pg.Client => {
  if (hosts === undefined) return CarefulClient;
  const known = classes.get(hosts) ?? leaderClient(hosts);
  classes.set(hosts, known);
  return known;
};

/** All pools of a process share what they learn about who leads. */
const classes = new WeakMap<readonly Place[], typeof pg.Client>();

/** A connection goes to the server that led last. When that one refuses, or takes no writes, the next try goes to the next. */
const leaderClient = (hosts: readonly Place[]): typeof pg.Client => {
  let leader = 0;

  return class extends CarefulClient {
    readonly #at = leader;

    constructor(config: pg.ClientConfig) {
      super({
        connectionTimeoutMillis: connectMs,
        ...config,
        ...hosts[leader],
        ...(config.password !== undefined && { password: config.password }),
      });
    }

    override connect(): Promise<pg.Client>;
    override connect(done: Done): void;
    override connect(done?: Done): Promise<pg.Client> | undefined {
      const connected = this.#connect();
      if (done === undefined) return connected;
      connected.then(() => (done as () => void)(), done);
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      try {
        await super.connect();
        await this.#mustLead();
        return this;
      } catch (error) {
        if (leader === this.#at) leader = (leader + 1) % hosts.length;
        throw error;
      }
    }

    async #mustLead(): Promise<void> {
      const { rows } = await super.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      if (!rows[0]?.standby) return;
      void super.end().catch(() => undefined);
      // As if nobody was there, so that a caller that may wait tries again.
      throw Object.assign(new Error(`${this.host}:${this.port} is a standby`), { code: 'ECONNREFUSED' });
    }
  };
};
