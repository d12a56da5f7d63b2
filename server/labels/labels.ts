import type { Label, LabelColor } from '#contracts/labels';
import { bounds } from '#server/bounds';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { badInput, notFound, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { Live } from '#server/live/open-tabs';
import type { Reading } from '#server/posts/reading';
import type { LabelStore } from './store.ts';

export type Labels = ReturnType<typeof createLabels>;

/** Labels stand beside posts: they change no post, and no network sees them. */
export const createLabels = ({
  store,
  reading,
  live,
  clock,
}: {
  store: LabelStore;
  reading: Pick<Reading, 'hold'>;
  live: Live;
  clock: Clock;
}) => {
  const changed = async ({ workspaceId }: Caller, id: string): Promise<Label | undefined> => {
    await live.publish({ workspaceId, kind: 'label', id });
    return (await store.list(workspaceId)).find((label) => label.id === id);
  };

  const must = (label: Label | undefined, id: string) => {
    if (label === undefined) throw notFound('label', id);
    return label;
  };

  const mustAllBe = (what: 'post' | 'label', path: string, ids: readonly string[], known: ReadonlySet<string>) => {
    const missing = ids.findIndex((id) => !known.has(id));
    if (missing < 0) return;
    const message = `names ${ids[missing]}, which is not a ${what} of this workspace`;
    throw badInput({ path: `${path}.${missing}`, code: what === 'post' ? 'UnknownPost' : 'UnknownLabel', message });
  };

  return {
    list: ({ workspaceId }: Caller) => store.list(workspaceId),

    add: (caller: Caller, { name, color }: { name: string; color: LabelColor }) =>
      store.transaction(async () => {
        const { workspaceId } = caller;
        await store.lockWorkspace(workspaceId);
        if ((await store.count(workspaceId)) >= bounds.labels) {
          throw new Refusal('Conflict', `A workspace has at most ${bounds.labels} labels. Delete one first.`);
        }
        const id = newId('label', clock.now());
        if (!(await store.insert(workspaceId, id, { name, key: keyOf(name), color }))) throw taken(name);
        return must(await changed(caller, id), id);
      }),

    change: (
      caller: Caller,
      id: string,
      { name, color }: { name?: string | undefined; color?: LabelColor | undefined },
    ) =>
      store.transaction(async () => {
        const { workspaceId } = caller;
        await store.lockWorkspace(workspaceId);
        const key = name === undefined ? undefined : keyOf(name);
        if (name !== undefined && (await store.hasName(workspaceId, keyOf(name), id))) throw taken(name);
        if (!(await store.change(workspaceId, id, { name, key, color }))) throw notFound('label', id);
        return must(await changed(caller, id), id);
      }),

    remove: (caller: Caller, id: string) =>
      store.transaction(async () => {
        if (!(await store.remove(caller.workspaceId, id))) throw notFound('label', id);
        await changed(caller, id);
      }),

    ofPost: async (caller: Caller, postId: string) => {
      if (!(await reading.hold(caller, [postId])).has(postId)) throw notFound('post', postId);
      return store.ofPost(caller.workspaceId, postId);
    },

    give: (
      caller: Caller,
      { postIds, add, remove }: { postIds: readonly string[]; add: readonly string[]; remove: readonly string[] },
    ) =>
      store.transaction(async () => {
        const { workspaceId } = caller;
        // Posts before the workspace, in the order of whoever schedules a post: else the two could wait for each other.
        mustAllBe('post', 'postIds', postIds, await reading.hold(caller, postIds));
        await store.lockWorkspace(workspaceId);
        const known = await store.known(workspaceId, [...add, ...remove]);
        mustAllBe('label', 'add', add, known);
        mustAllBe('label', 'remove', remove, known);
        await store.take(workspaceId, postIds, remove);
        await store.give(workspaceId, postIds, add);
        if ((await store.most(workspaceId, postIds)) > bounds.labelsPerPost) {
          throw new Refusal('Conflict', `A post has at most ${bounds.labelsPerPost} labels. Take one away first.`);
        }
        await live.publish(...[...new Set(postIds)].map((id) => ({ workspaceId, kind: 'post' as const, id })));
      }),
  };
};

/** How names are compared: `Ärger` and `ÄRGER` are one, and so are two ways to write the same letter. */
const keyOf = (name: string) => name.normalize('NFKC').toLowerCase();

const taken = (name: string) =>
  new Refusal('Conflict', `There is a label ${name} already. Choose another name, or use that one.`);
