import { fetch } from 'undici';
import type { Config } from '#server/config';
import type { Findings } from './doctor-looks.ts';

const patienceMs = 3_000;

/** With the package, which is loaded by then: Node's own fetch is another copy of it. */
export const lookAtService = async ({ baseUrl }: Config, { good, note, bad }: Findings) => {
  const asked = fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(patienceMs) });
  const answer = await asked.catch(() => undefined);
  if (answer?.ok) good.push(`The service answers at ${baseUrl}/readyz`);
  else if (answer) bad.push(`The service at ${baseUrl} is not ready: ${await answer.text()}`);
  else note.push(`No service answers at ${baseUrl}; \`npm start\` runs it`);
};
