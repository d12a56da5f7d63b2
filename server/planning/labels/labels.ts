import type { Label, LabelColor } from '#contracts/labels';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Live } from '#server/base/live/live';
import type { Reading } from '#server/writing/posts/reading';
import type { LabelStore } from './store.ts';

export type Labels = ReturnType<typeof createLabels>;

/** Labels are stored apart from posts: assigning one does not change the post, and networks never see it. */
export const createLabels = ({
  store,
  reading,
  live,
  clock,
}: {
  store: LabelStore;
  reading: Pick<Reading, 'get' | 'hold'>;
  live: Live;
  clock: Clock;
}) => {
  const publishChange = async ({ workspaceId }: Caller, id: string): Promise<Label | undefined> => {
    await live.publish({ workspaceId, kind: 'label', id });
    return (await store.list(workspaceId)).find((label) => label.id === id);
  };

  const mustExist = (label: Label | undefined, id: string) => {
    if (label === undefined) throw notFound('label', id);
    return label;
  };

  const mustAllExist = (
    what: 'post' | 'label',
    path: string,
    ids: readonly string[],
    existing: ReadonlySet<string>,
  ) => {
    const missing = ids.findIndex((id) => !existing.has(id));
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
        if (!(await store.insert(workspaceId, id, { name, key: keyOf(name), color }))) throw nameTaken(name);
        return mustExist(await publishChange(caller, id), id);
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
        if (name !== undefined && (await store.hasName(workspaceId, keyOf(name), id))) throw nameTaken(name);
        if (!(await store.change(workspaceId, id, { name, key, color }))) throw notFound('label', id);
        return mustExist(await publishChange(caller, id), id);
      }),

    remove: (caller: Caller, id: string) =>
      store.transaction(async () => {
        if (!(await store.remove(caller.workspaceId, id))) throw notFound('label', id);
        await publishChange(caller, id);
      }),

    ofPost: async (caller: Caller, postId: string) => {
      await reading.get(caller, postId);
      return store.ofPost(caller.workspaceId, postId);
    },

    /** Ids of the labels with these names. Creates those that do not exist. */
    named: (caller: Caller, names: readonly string[]): Promise<string[]> =>
      store.transaction(async () => {
        const { workspaceId } = caller;
        await store.lockWorkspace(workspaceId);
        const idOf = new Map((await store.list(workspaceId)).map(({ id, name }) => [keyOf(name), id]));
        for (const name of names) {
          if (idOf.has(keyOf(name))) continue;
          if (idOf.size >= bounds.labels) {
            throw new Refusal('Conflict', `A workspace has at most ${bounds.labels} labels. Delete one first.`);
          }
          const id = newId('label', clock.now());
          await store.insert(workspaceId, id, { name, key: keyOf(name), color: 'grey' });
          await publishChange(caller, id);
          idOf.set(keyOf(name), id);
        }
        return [...new Set(names.map((name) => idOf.get(keyOf(name)) ?? ''))];
      }),

    /** Gives a restored post those of its labels that still exist. */
    putBack: async (caller: Caller, postId: string, labelIds: readonly string[]) => {
      const existing = new Set((await store.list(caller.workspaceId)).map(({ id }) => id));
      await store.assign(
        caller.workspaceId,
        [postId],
        labelIds.filter((id) => existing.has(id)),
      );
    },

    assign: (
      caller: Caller,
      { postIds, add, remove }: { postIds: readonly string[]; add: readonly string[]; remove: readonly string[] },
    ) =>
      store.transaction(async () => {
        const { workspaceId } = caller;
        // Scheduling locks the post before the workspace. The same order here avoids a deadlock.
        mustAllExist('post', 'postIds', postIds, await reading.hold(caller, postIds));
        await store.lockWorkspace(workspaceId);
        const labelIds = await store.lockExisting(workspaceId, [...add, ...remove]);
        mustAllExist('label', 'add', add, labelIds);
        mustAllExist('label', 'remove', remove, labelIds);
        await store.unassign(workspaceId, postIds, remove);
        await store.assign(workspaceId, postIds, add);
        if ((await store.maxPerPost(workspaceId, postIds)) > bounds.labelsPerPost) {
          throw new Refusal('Conflict', `A post has at most ${bounds.labelsPerPost} labels. Remove one first.`);
        }
        await live.publish(...[...new Set(postIds)].map((id) => ({ workspaceId, kind: 'post' as const, id })));
      }),
  };
};

/** Names are compared without case and Unicode form: `Ärger` and `ÄRGER` are the same label. */
const keyOf = (name: string) => name.normalize('NFKC').toLowerCase();

const nameTaken = (name: string) =>
  new Refusal('Conflict', `There is a label ${name} already. Choose another name, or use that one.`);
