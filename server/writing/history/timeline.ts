import type { HistoryEntry, Revision } from '#contracts/history';
import { instantOf } from '#contracts/instant';
import { type Caller, clientNamed } from '#server/base/context';
import { notFound } from '#server/base/errors';
import { isMediaId } from '#server/base/ids';
import type { MediaLibrary } from '#server/media/library';
import { createdAtOf } from './revisions.ts';
import type { HistoryStore } from './store.ts';

const shownCards = 50;
const shownOutcomes = 50;

export type Timeline = ReturnType<typeof createTimeline>;

/** The history of a post, merged from revisions, approval cards, events and publications. */
export const createTimeline = ({ store, library }: { store: HistoryStore; library: MediaLibrary }) => {
  const postOf = async ({ workspaceId }: Caller, id: string) => {
    const post = await store.post(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  };

  /** A post without edits has no stored revision: its current content is the one it was created with. */
  const createdEntry = (id: string, post: Awaited<ReturnType<typeof postOf>>): HistoryEntry => ({
    id: `${id} 0`,
    kind: 'Created',
    at: instantOf(createdAtOf({ id, updatedAt: post.updatedAt })),
    ...personOf(post.createdBy, post.createdByName),
    ...(post.createdClient && { client: post.createdClient }),
    revision: 0,
  });

  return {
    list: async (caller: Caller, id: string): Promise<HistoryEntry[]> => {
      const post = await postOf(caller, id);
      const rows = await store.entries(caller.workspaceId, id);
      const stored = rows.map(
        (row): HistoryEntry => ({
          id: `${id} ${row.number}`,
          kind: row.kind,
          at: row.at,
          ...(row.since !== row.at && { since: row.since }),
          ...personOf(row.userId, row.userName),
          ...(row.client && { client: row.client }),
          ...(row.hasText && { revision: row.number }),
          ...(row.changed && { changed: row.changed }),
          ...(row.scheduledAt !== null && { scheduledAt: row.scheduledAt }),
        }),
      );
      const created = rows.some(({ hasText }) => hasText) ? [] : [createdEntry(id, post)];
      const entries = [...stored, ...created, ...(await requests(caller, id)), ...(await outcomes(caller, id, post))];
      return entries.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
    },

    revision: async (caller: Caller, id: string, number: number): Promise<Revision> => {
      const post = await postOf(caller, id);
      const [revision, before] = await store.texts(caller.workspaceId, id, number);
      if (revision?.number !== number) {
        if (number !== 0 || (await store.entries(caller.workspaceId, id)).some(({ hasText }) => hasText)) {
          throw notFound('earlier text', String(number));
        }
        const { accountIds, versions } = post;
        return { number, accountIds, versions, media: await library.items(caller, filesIn(versions)) };
      }
      const files = filesIn([...revision.versions, ...(before?.versions ?? [])]);
      return {
        number,
        accountIds: revision.accountIds,
        versions: revision.versions,
        ...(before && { before: { accountIds: before.accountIds, versions: before.versions } }),
        media: await library.items(caller, files),
      };
    },
  };

  /** Requests of agents, and the decisions on them. */
  async function requests({ workspaceId }: Caller, id: string): Promise<HistoryEntry[]> {
    const cards = await store.cards(workspaceId, id, shownCards);
    return cards.flatMap(({ action, status, client: name, ...card }): HistoryEntry[] => {
      const shared = { client: name === null ? { kind: 'App' as const } : clientNamed(name), action };
      const request: HistoryEntry = {
        id: card.id,
        kind: 'Requested',
        at: card.createdAt,
        ...personOf(card.requestedBy, card.requestedByName),
        ...shared,
      };
      if ((status !== 'Approved' && status !== 'Rejected') || card.decidedAt === null) return [request];
      const by = card.decidedBy === null ? {} : personOf(card.decidedBy, card.decidedByName);
      const reason = card.reason === null ? {} : { reason: card.reason };
      const alts = card.editedAlts && { alts: card.editedAlts.map(({ before, alt }) => ({ before, alt })) };
      const id = `${card.id} ${status}`;
      return [{ id, kind: status, at: card.decidedAt, ...by, ...shared, ...reason, ...alts }, request];
    });
  }

  async function outcomes(
    { workspaceId }: Caller,
    id: string,
    { accountIds }: Awaited<ReturnType<typeof postOf>>,
  ): Promise<HistoryEntry[]> {
    const events = await store.outcomes(workspaceId, id, shownOutcomes);
    const entries = events.map(
      ({ id: eventId, type, results, createdAt }): HistoryEntry => ({
        id: eventId,
        kind: type === 'post.published' ? 'Published' : 'Failed',
        at: createdAt,
        accounts: {
          out: results.filter(({ ok }) => ok).length,
          uncertain: results.filter(({ uncertain }) => uncertain).length,
          all: results.length,
        },
      }),
    );
    if (entries.length > 0) return entries;
    const first = await store.firstPublication(workspaceId, id);
    if (first === undefined) return [];
    return [{ id: `${id} out`, kind: 'Published', at: first.at, accounts: { out: first.out, all: accountIds.length } }];
  }
};

const personOf = (id: string, name: string | null) => ({ person: { id, name: name ?? 'Somebody who left' } });

const filesIn = (versions: Revision['versions']) => [
  ...new Set(
    versions.flatMap(({ content, options }) => [
      ...content.flatMap(({ media }) => media),
      ...Object.values(options).filter(isMediaId),
    ]),
  ),
];
