// Runs one client file against its twin and reports each step to the parent: node drive.mjs <client file>
import { randomUUID } from 'node:crypto';

const waiting = new Map();
const ask = (call, ...args) =>
  new Promise((resolve, reject) => {
    const id = randomUUID();
    waiting.set(id, { resolve, reject });
    process.send({ id, call, args });
  });
process.on('message', ({ id, value, error }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) resolve(value);
  else reject(new Error(error));
});

/** The message, the network's answer, and the line of the client file. */
const describe = (error) => {
  const answer = error?.response?.data ?? error?.response?.body ?? error?.response ?? error?.data;
  const isPlain = typeof answer === 'object' && answer !== null && Object.getPrototypeOf(answer) === Object.prototype;
  const [line] = /foreign-clients\/[\w-]+\.mjs:\d+/.exec(error?.stack ?? '') ?? ['an unknown line'];
  return `${error} ${isPlain ? JSON.stringify(answer) : ''} (${line})`;
};

const runAs = (state) => async (step, work) => {
  try {
    const note = await work();
    await ask('report', step, state, typeof note === 'string' ? note : '');
  } catch (error) {
    await ask('report', step, 'failed', describe(error));
  }
};

const files = await ask('files');
for (const file of Object.values(files)) file.bytes = Buffer.from(file.bytes);

/** What a client is driven with. */
const stage = {
  /** Reports `done` unless `work` throws; a text that it returns becomes a note. */
  step: runAs('done'),
  /** The same for a call that the client does not offer. */
  plainStep: runAs('plain'),
  notOffered: (step, why) => ask('report', step, 'not offered', why),
  /** The consent page as a person fills it in; resolves to the address that the browser is sent back to. */
  consent: async (url, handle = 'anna') => new URL(await ask('consent', String(url), handle)),
  /** Moves the clock of the twins. */
  forward: (ms) => ask('forward', ms),
  /** The next such call goes wrong: moment is upload, publish or read. */
  planFault: (moment, fault) => ask('planFault', moment, fault),
  files,
  redirectUri: 'https://posthorn.example/connect/callback',
};

const { default: drive } = await import(new URL(process.argv[2], import.meta.url));
await drive(stage);
// Connections that are kept alive would hold the process.
process.exit();
