import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import { sha256 } from '#server/base/sha256';
import { type Fault, type FaultMoment, faults, type Refusals } from '#server/networks/sandbox';
import type { SandboxStore } from './store.ts';

const slowMs = 3_000;
const lateMs = 20_000;
/** After our timeout, but within the time that a network may still act on a request. */
const veryLateMs = 5 * 60_000;
const mark = /\[sandbox:([\w-]+)(!?)\]/;

/** Set on the sandbox page: the next `times` calls fail, or with null all calls until it is cleared. */
export interface PlannedFault {
  readonly fault: Fault;
  readonly times: number | null;
}

export type Faults = ReturnType<typeof createFaults>;

export const createFaults = ({ store, network }: { store: SandboxStore; network: string }) => {
  const isFault = (name: string): name is Fault => Object.hasOwn(faults, name);

  /** A mark in a text works once, so that a retry succeeds; with `!` it works every time. */
  const marked = async (text: string): Promise<Fault | undefined> => {
    const [, name = '', always] = mark.exec(text) ?? [];
    if (!isFault(name)) return undefined;
    const id = sha256(text, 'hex');
    return always || (await store.add({ network, kind: 'fault-done', id, value: name })) ? name : undefined;
  };

  const planned = async (moment: FaultMoment): Promise<PlannedFault | undefined> => {
    const plan = (await store.get(network, 'fault', moment)) as unknown as PlannedFault | undefined;
    return plan?.times === 0 ? undefined : plan;
  };

  /** Counted down in the database, so that of two concurrent calls only one gets the last fault. */
  const takePlanned = async (moment: FaultMoment): Promise<Fault | undefined> => {
    const plan = await planned(moment);
    if (plan === undefined || plan.times === null) return plan?.fault;
    const row = (await store.countDown(network, 'fault', moment)) as unknown as PlannedFault | undefined;
    return row?.fault;
  };

  return {
    plan: async (moment: FaultMoment, plan: PlannedFault | undefined) => {
      if (plan) await store.put({ network, kind: 'fault', id: moment, value: { ...plan } });
      else await store.take(network, 'fault', moment);
    },

    planned,

    find: async (moment: FaultMoment, text: string) => (await marked(text)) ?? takePlanned(moment),
  };
};

/**
 * Runs a call with a fault. `work` is what the network would have done, `answer` what it would have answered. The fault
 * `slow` only delays them.
 */
export const misbehave = async <Result>(
  fault: Fault,
  res: Response,
  call: {
    readonly refusals: Refusals;
    readonly revoke: () => Promise<void>;
    readonly work: () => Promise<Result>;
    /** Handles a request that is never answered. */
    readonly keepSilent: (res: Response) => void;
    /** Runs the work after `ms` of sandbox time. */
    readonly later: (ms: number, work: () => Promise<Result>) => void;
    readonly answer: (result: Result) => void;
  },
): Promise<void> => {
  switch (fault) {
    case 'slow':
      await sleep(slowMs);
      return call.answer(await call.work());
    case '500-after':
      await call.work();
      return call.refusals['503'](res.status(500));
    case '503-late':
      call.later(lateMs, call.work);
      return call.refusals['503'](res);
    case 'late':
      call.later(veryLateMs, call.work);
      res.destroy();
      return;
    case 'lost':
      await call.work();
      return call.keepSilent(res);
    case 'cut':
      await call.work();
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      res.write('{"data":', () => res.destroy());
      return;
    case 'hang':
      return call.keepSilent(res);
    case 'html':
      res.status(502).type('html').send('<!doctype html><title>Bad gateway</title><h1>502 Bad Gateway</h1>');
      return;
    case 'refused-token':
      await call.revoke();
      return call.refusals['refused-token'](res);
    default:
      return call.refusals[fault](res);
  }
};
