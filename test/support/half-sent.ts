import { request } from 'node:http';
import type { Statement, ValuesArgument } from '#server/base/store/database';
import type { Service } from './service.ts';
import { until } from './until.ts';

/** The statements that identify a sender. */
const identifying = new Set(['sessions.read', 'tokens.find', 'access.roleWithToken', 'access.lastWorkspace']);

export interface HalfSent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | string;
}

/** Sends requests whose bodies stop halfway, until the test sends the rest. */
export const createHalfSender = ({ database, url }: Pick<Service, 'database' | 'url'>) => {
  let identified = 0;
  const { query } = database;
  database.query = async <Values, Row>(statement: Statement<Values, Row>, ...values: ValuesArgument<Values>) => {
    const rows = await query(statement, ...values);
    if (identifying.has(statement.name)) identified++;
    return rows;
  };

  return {
    /** Resolves when the service has identified the sender, and waits for the rest of the body. */
    begin: async ({ method, path, headers, body }: HalfSent) => {
      const bytes = Buffer.from(body);
      const half = Math.ceil(bytes.length / 2);
      const before = identified;
      const req = request(url + path, {
        method,
        agent: false,
        headers: { ...headers, 'content-length': bytes.length },
      });
      req.setNoDelay(true);
      const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {
        req.on('error', reject);
        req.on('response', async (res) => {
          let text = '';
          for await (const chunk of res) text += chunk;
          resolve({ status: res.statusCode ?? 0, body: text });
        });
      });
      // The test awaits it later.
      answer.catch(() => undefined);
      req.write(bytes.subarray(0, half));
      await until('the sender is identified', () => identified > before);
      return {
        finish: () => {
          req.end(bytes.subarray(half));
          return answer;
        },
        /** The rest of the body, one byte after the other; `halfway` runs before the last of them. */
        drip: async (halfway: () => Promise<unknown>) => {
          const rest = bytes.subarray(half);
          for (const [at, byte] of rest.entries()) {
            if (at === Math.floor(rest.length / 2)) await halfway();
            await new Promise((sent) => req.write(Buffer.from([byte]), sent));
          }
          req.end();
          return answer;
        },
      };
    },

    stop: () => {
      database.query = query;
    },
  };
};
