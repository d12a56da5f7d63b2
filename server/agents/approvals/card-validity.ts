import type { CardStatus } from '#contracts/approvals';
import type { Approval } from '#contracts/define';
import type { Post } from '#contracts/posts';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { Live } from '#server/base/live/live';
import type { Readiness } from '#server/writing/posts/readiness';
import type { CardRow, CardStore, OpenCard } from './card-store.ts';
import type { Pin, Subject, Subjects } from './subject.ts';

export type CardValidity = ReturnType<typeof createCardValidity>;

/** Checks whether a card has expired, and whether its subject still matches what it shows. */
export const createCardValidity = ({
  store,
  subjects,
  readiness,
  approvals,
  live,
  clock,
}: {
  store: CardStore;
  subjects: Subjects;
  readiness: Readiness;
  approvals: ReadonlyMap<string, Approval>;
  live: Live;
  clock: Clock;
}) => {
  const subjectOf = (action: string) => approvals.get(action)?.subject;
  const isExpired = ({ expiresAt }: OpenCard) => new Date(expiresAt) <= clock.now();

  const closeOpen = async ({ workspaceId }: Caller, cards: readonly Pick<OpenCard, 'id'>[], status: CardStatus) => {
    if (cards.length === 0) return;
    const ids = cards.map(({ id }) => id);
    const closed = await store.closeOpen(workspaceId, ids, status, clock.now());
    await live.publish(...closed.map((id) => ({ workspaceId, kind: 'approval' as const, id })));
  };

  /** Closes the cards that can no longer be approved: they expired, or their subject changed. */
  const closeStale = async (caller: Caller, cards: readonly OpenCard[]) => {
    const open = cards.filter(({ status }) => status === 'Open');
    const expired = open.filter(isExpired);
    const outdated: OpenCard[] = [];
    for (const kind of ['post', 'account', 'media'] as const) {
      const about = open.filter((card) => !isExpired(card) && subjectOf(card.action) === kind);
      if (about.length === 0) continue;
      const pins = await subjects.pins(caller, kind, about.map(idOf));
      outdated.push(...about.filter((card) => !holds(card, pins.get(idOf(card)))));
    }
    await closeOpen(caller, expired, 'Expired');
    await closeOpen(caller, outdated, 'Outdated');
    // True even if another reader closed the cards first, because the caller's rows are stale in that case too.
    return expired.length + outdated.length > 0;
  };

  /** Whether the subject still has the content that the card shows. Locks it until the transaction ends. */
  const isUnchanged = async (caller: Caller, row: CardRow, filesToChange: readonly string[] = []) => {
    const kind = subjectOf(row.action);
    if (kind === undefined) return false;
    await subjects.find(caller, kind, idOf(row), filesToChange).catch(unlessNotFound);
    return holds(row, (await subjects.pins(caller, kind, [idOf(row)])).get(idOf(row)));
  };

  const isPreparing = async (caller: Caller, subject: Pick<Subject, 'post' | 'becomes'>) => {
    const draft = draftOf(subject);
    return draft !== undefined && readiness.isPreparing(caller, draft);
  };

  /**
   * At the time of the request, some files may still have been in preparation. Once they are ready, adds them to the
   * card and pins the card to them. Nobody can have approved it before.
   */
  const finishPreparing = async (caller: Caller, id: string) => {
    const card = await store.get(caller.workspaceId, id);
    if (card?.status !== 'Open' || !card.isPreparing || (await isPreparing(caller, card.subject as Subject))) return;
    await store.transaction(async () => {
      const row = await store.lock(caller.workspaceId, id);
      if (row?.status !== 'Open' || !row.isPreparing || !(await isUnchanged(caller, row))) return;
      const { isPreparing: _, ...subject } = row.subject as Subject;
      if (await isPreparing(caller, subject)) return;
      if (subject.post) await readiness.keepFits(caller, subject.post);
      const fitted = await subjects.fitted(caller, draftOf(subject), subject.media ?? []);
      const pin = (await subjects.pins(caller, 'post', [idOf(row)])).get(idOf(row));
      if (pin) await store.setContent(caller.workspaceId, id, { ...subject, fitted }, pin.ready);
    });
  };

  return { subjectOf, isExpired, closeOpen, closeStale, isUnchanged, isPreparing, finishPreparing };
};

export const idOf = ({ input }: Pick<OpenCard, 'input'>) => String(input.id);

/** The post whose files are fitted. A change of a scheduled post is fitted like a draft. */
export const draftOf = ({
  post,
  becomes,
}: {
  readonly post?: Post | undefined;
  readonly becomes?: Post | undefined;
}) => (becomes ? { ...becomes, status: 'Draft' as const } : post);

/** Whether the card still matches what would be published now. */
export const holds = ({ contentHash, isPreparing }: OpenCard, pin: Pin | undefined) =>
  pin !== undefined && contentHash.equals(isPreparing ? pin.preparing : pin.ready);

const unlessNotFound = (error: unknown) => {
  if (!(error instanceof Refusal && error.code === 'NotFound')) throw error;
};
