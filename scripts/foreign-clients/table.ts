import type { ForeignClient } from './clients.ts';

/** What each client is asked to do, in the order of the table. */
export const stepNames = [
  'sign in',
  'text',
  'picture',
  'video',
  'thread',
  'read',
  'numbers',
  'edit',
  'delete',
  'refresh',
  'revoke',
  'rate limit',
  'expired',
  'bad input',
] as const;

export interface Step {
  readonly name: string;
  readonly state: 'done' | 'plain' | 'not offered' | 'failed';
  readonly note: string;
}

interface Run {
  readonly client: ForeignClient;
  readonly version: string;
  readonly steps: readonly Step[];
  /** Hosts outside this machine that the client contacted. */
  readonly strays: readonly string[];
}

export const isFailure = ({ state }: Step) => state === 'failed';

const cells = { done: 'done', plain: 'plain', 'not offered': '-', failed: 'FAILED' } as const;

export const printTable = (runs: readonly Run[]) => {
  const titleOf = ({ client, version }: Run) => `${client.network}, ${client.package} ${version}`;
  const width = Math.max(...runs.map((run) => titleOf(run).length));
  const row = (title: string, columns: readonly string[]) =>
    [title.padEnd(width), ...columns.map((text, index) => text.padEnd(stepNames[index]?.length ?? 0))].join('  ');
  console.log(`\n${row('', stepNames)}`);
  for (const run of runs)
    console.log(
      row(
        titleOf(run),
        run.steps.map(({ state }) => cells[state]),
      ),
    );
  console.log('\nplain: the client lacks the call, so the request of the network’s reference was sent as it is');
  console.log('-: the client or the network has no such call\n');
  for (const run of runs) {
    for (const { name, state, note } of run.steps) {
      if (note !== '') console.log(`${run.client.network}, ${run.client.package}, ${name}, ${state}: ${note}`);
    }
    for (const host of run.strays) console.log(`${run.client.package} asked ${host}, which is not on this machine.`);
  }
};
