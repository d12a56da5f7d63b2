import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Fault, FaultMoment } from '#server/networks/sandbox';
import { sayYes } from '#server/simulation/sandbox/sign-up';
import type { startSandboxNetworks } from '#test/support/sandbox';
import { type ForeignClient, folder } from './clients.ts';
import type { Gate } from './gate.ts';
import { type Step, stepNames } from './table.ts';

/** A client that hangs is ended, and its open steps count as failed. */
const timeoutMs = 180_000;

interface Context {
  readonly certificate: string;
  readonly gate: Gate;
  readonly sandbox: Awaited<ReturnType<typeof startSandboxNetworks>>;
  readonly files: object;
}

interface Call {
  /** Absent if the client does not wait for an answer. */
  readonly id?: string;
  readonly call: string;
  readonly args: readonly never[];
}

/** One client in a process of its own, whose connections all lead to the gate. */
export const driveClient = async (
  { file, network }: ForeignClient,
  { certificate, gate, sandbox, files }: Context,
): Promise<Step[]> => {
  const reports = new Map<string, Step>();
  const calls: Readonly<Record<string, (...args: never[]) => unknown>> = {
    files: () => files,
    stray: (host: string) => gate.strays.add(host),
    report: (name: string, state: Step['state'], note: string) => {
      reports.set(name, { name, state, note });
    },
    consent: async (url: string, handle: string) => (await sayYes(sandbox.url + gate.pathOf(url), handle)).href,
    forward: sandbox.forward,
    planFault: (moment: FaultMoment, fault: Fault) => sandbox.sandboxes.planFault(network, moment, { fault, times: 1 }),
  };

  const child = fork(join(folder, 'drive.mjs'), [`./${file}`], {
    cwd: folder,
    // Only PATH comes from our environment: a proxy setting in it would let a client bypass the gate.
    env: {
      PATH: process.env.PATH,
      NODE_EXTRA_CA_CERTS: certificate,
      FOREIGN_GATE_PORT: String(gate.port),
      FOREIGN_GATE_HOSTS: [...gate.hosts.keys()].join(' '),
    },
    execArgv: ['--no-warnings', '--import', pathToFileURL(join(folder, 'loopback-only.mjs')).href],
    serialization: 'advanced',
  });
  child.on('message', async (message) => {
    const { id, call, args } = message as Call;
    const answer = await Promise.resolve(calls[call]?.(...args)).then(
      (value) => ({ id, value }),
      (error) => ({ id, error: String(error) }),
    );
    if (id !== undefined && child.connected) child.send(answer);
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(timer);

  const missing = `The client ended before this step, with ${signal ?? `code ${code}`}.`;
  return stepNames.map((name) => reports.get(name) ?? { name, state: 'failed', note: missing });
};
