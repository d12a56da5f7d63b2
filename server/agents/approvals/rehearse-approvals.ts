import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { Reading } from '#server/writing/posts/reading';
import type { CardApproval, CardToCheck } from './approve-card.ts';
import type { CardRow, CardStore } from './card-store.ts';
import { type CardValidity, idOf } from './card-validity.ts';
import type { PreparedEdit } from './confirmation-store.ts';
import { filesToChange } from './edit-on-approval.ts';

/** Approves these cards one after the other, then rolls everything back. */
export const createApprovalRehearsal = ({
  store,
  validity,
  reading,
  cardApproval,
}: {
  store: CardStore;
  validity: CardValidity;
  reading: Reading;
  cardApproval: CardApproval;
}) => {
  const { subjectOf, isUnchanged } = validity;
  const { lockUndecided, prepare, approveLocked } = cardApproval;

  async function rehearse(caller: Caller, cards: readonly CardToCheck[]) {
    const inOrder = [...new Map(cards.map((card) => [card.id, card])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const errors = new Map<string, Refusal>();
    const refuse = (id: string, error: unknown) => {
      if (!(error instanceof Refusal) || error.code === 'Internal') throw error;
      errors.set(id, error);
    };
    const edits = new Map<string, PreparedEdit | undefined>();
    for (const card of inOrder) {
      await prepare(caller, card).then(
        (prepared) => edits.set(card.id, prepared),
        (error) => refuse(card.id, error),
      );
    }
    const contents = new Map<string, string>();
    const posts = new Map<string, string>();
    let clashes: Awaited<ReturnType<Reading['sameMinute']>> = [];
    await store.rehearse(async () => {
      const rows = await lockAll(
        caller,
        inOrder.filter(({ id }) => !errors.has(id)),
        edits,
        refuse,
      );
      for (const row of rows) {
        const run = () => approveLocked(caller, row, { edit: edits.get(row.id), isRehearsal: true });
        const result = await store.attempt(run).catch((error) => refuse(row.id, error));
        if (result && 'refusal' in result) refuse(row.id, new Refusal('Conflict', result.refusal));
        else if (result) contents.set(row.id, result.contentHash.toString('hex'));
        if (!errors.has(row.id) && subjectOf(row.action) === 'post') posts.set(row.id, idOf(row));
      }
      clashes = await reading.sameMinute(caller, [...posts.values()]);
    });
    return { inOrder, errors, edits, contents, posts, clashes };
  }

  /**
   * Locks all cards, then all posts, before the first action runs and locks the plan. Everybody who decides or
   * schedules takes these locks in this order, so locking card by card could deadlock.
   */
  async function lockAll(
    caller: Caller,
    cards: readonly CardToCheck[],
    edits: ReadonlyMap<string, PreparedEdit | undefined>,
    refuse: (id: string, error: unknown) => void,
  ): Promise<CardRow[]> {
    const rows: CardRow[] = [];
    for (const { id } of cards) {
      await lockUndecided(caller, id).then(
        (row) => rows.push(row),
        (error) => refuse(id, error),
      );
    }
    for (const row of rows) await isUnchanged(caller, row, filesToChange(row, edits.get(row.id)));
    return rows;
  }

  return rehearse;
};
