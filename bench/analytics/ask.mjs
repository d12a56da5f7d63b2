import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** As lean as pg is for the SQL: one kept connection, nothing compressed. */
const agent = new Agent({ keepAlive: true });
const mostTries = 60;

/** On a busy machine requests wait so long for the database that the service answers 429. */
class Busy extends Error {
  constructor(message, retryAfterMs) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

export const asking = (url, more) => {
  const headers = { 'content-type': 'application/json', ...more };
  return async (input, path = '') => {
    const asked = request(`${url}${path}`, { agent, method: 'POST', headers });
    asked.end(JSON.stringify(input));
    const [answer] = await once(asked, 'response');
    const content = await json(answer);
    const message = `${path}: ${JSON.stringify(content)}`;
    if (answer.statusCode === 429) throw new Busy(message, Number(answer.headers['retry-after'] ?? 1) * 1000);
    assert.equal(answer.statusCode, 200, message);
    return content;
  };
};

/** Waits as long as the service says, and does all of `work` again. */
export const retryWhenBusy = async (work) => {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Busy) || tries === mostTries) throw error;
      await sleep(error.retryAfterMs);
    }
  }
};

/** Milliseconds a call. After a 429 all calls are timed again, so the wait does not count. */
export const timed = (work, calls) =>
  retryWhenBusy(async () => {
    const begun = performance.now();
    for (let i = 0; i < calls; i++) await work();
    return (performance.now() - begun) / calls;
  });
