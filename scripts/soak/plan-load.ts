import { setTimeout as sleep } from 'node:timers/promises';
import { GaveUp, type Person } from './callers.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';

const pauseMs = 700;
/** Far enough ahead that none is published during the soak. */
const aheadMs = 300 * 24 * 3_600_000;

/**
 * A person on a workspace with a small plan, who schedules more posts than it allows and unschedules some. Requests with a
 * lost answer are repeated until one arrives, so that the expected usage is known exactly.
 */
export const runPlanLoad = async ({
  person,
  accountId,
  ledger,
  random,
  isOver,
}: {
  person: Person;
  accountId: string;
  ledger: Ledger;
  random: Random;
  isOver: () => boolean;
}) => {
  const scheduled: string[] = [];

  const scheduleOne = async () => {
    const draft = await person.click('/api/app/actions/posts.create', {
      accountIds: [accountId],
      body: 'Within a plan',
    });
    const { now } = (await person.get('/api/app/sandbox/clock')) as { now: string };
    const at = new Date(Date.parse(now) + aheadMs).toISOString();
    const id = String(draft.body.id);
    const { status, lost, code } = await person.click('/api/app/actions/posts.schedule', { id, at });
    if (status === 402) {
      ledger.plan.refused++;
      // An earlier try, whose answer was lost, may have taken the last place.
      if (lost > 0) ledger.plan.lost++;
    } else if (status === 200 || (status === 409 && lost > 0)) {
      ledger.plan.scheduled++;
      scheduled.push(id);
    } else throw new GaveUp(`schedule within a plan: ${status} ${code}`);
  };

  const takeOneBack = async () => {
    const id = scheduled.shift();
    if (id === undefined) return;
    const { status, lost, code } = await person.click(`/api/app/posts/${id}/unschedule`);
    if (status !== 200 && !(status === 409 && lost > 0)) throw new GaveUp(`unschedule: ${status} ${code}`);
    ledger.plan.unscheduled++;
  };

  while (!isOver()) {
    try {
      await (random.chance(0.3) ? takeOneBack() : scheduleOne());
    } catch (error) {
      ledger.plan.lost++;
      ledger.gaveUp('plan', error instanceof Error ? error.message : String(error));
    }
    await sleep(pauseMs);
  }
};
