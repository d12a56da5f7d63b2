import type pg from 'pg';
import { CarefulClient } from './careful-client.ts';
import type { Connection, ServerAddress } from './connection.ts';

const connectMs = 5_000;

type Done = (error: Error) => void;

/** pg connects to one server; with several hosts this client finds the one that accepts writes. */
export const clientFor = ({ hosts }: Connection): typeof pg.Client => {
  if (hosts === undefined) return CarefulClient;
  const cached = classes.get(hosts) ?? leaderClient(hosts);
  classes.set(hosts, cached);
  return cached;
};

/** Cached, so that all pools of the process share what they learn about the leader. */
const classes = new WeakMap<readonly ServerAddress[], typeof pg.Client>();

/** Connects to the last known leader. If that fails or it is a standby, the next attempt goes to the next host. */
const leaderClient = (hosts: readonly ServerAddress[]): typeof pg.Client => {
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
      // The same code as a refused connection, so that callers retry this too.
      throw Object.assign(new Error(`${this.host}:${this.port} is a standby`), { code: 'ECONNREFUSED' });
    }
  };
};
