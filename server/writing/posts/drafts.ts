import type { Post } from '#contracts/posts';
import { DoneWithRequest, NeedsApproval } from '#server/base/approval';
import type { Clock } from '#server/base/clock';
import type { Caller, Preparation } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { MediaLibrary } from '#server/media/library';
import type { Revisions } from '#server/writing/history/revisions';
import {
  type ContentChange,
  type DraftContent,
  mustBeEither,
  type OptionInput,
  type Replacement,
  type TextInput,
} from './draft-content.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { PostContent, PostStore } from './post-store.ts';
import type { Readiness } from './readiness.ts';
import { mustFit } from './versions.ts';

interface ReplaceInput extends Replacement {
  readonly id: string;
  readonly scheduledAt: string;
  readonly unschedule?: boolean;
  readonly baseUpdatedAt: string;
}

/** Stands for the id of a post that does not exist yet. */
const notYet = '';

export type Drafts = ReturnType<typeof createDrafts>;

export const createDrafts = ({
  store,
  accounts,
  library,
  lifecycle,
  readiness,
  content,
  revisions,
  clock,
}: {
  store: PostStore;
  accounts: Accounts;
  library: MediaLibrary;
  lifecycle: Lifecycle;
  readiness: Readiness;
  content: DraftContent;
  revisions: Revisions;
  clock: Clock;
}) => {
  /** The post, locked and open for changes by this caller (SPEC, States and transitions). */
  const openForEdit = async (caller: Caller, id: string) => {
    const post = await store.lock(caller.workspaceId, id);
    return mustBeEditable(caller, id, post);
  };

  const mustBeEditable = (caller: Caller, id: string, post: Post | undefined): Post | NeedsApproval => {
    if (post === undefined) throw notFound('post', id);
    if (post.status === 'Publishing' || post.status === 'Published') throw alreadyOut(post);
    if (post.status !== 'Scheduled') return post;
    return lifecycle.needsApproval(caller, 'Changing a scheduled post', id) ?? post;
  };

  const change = async (
    caller: Caller,
    { id, baseUpdatedAt, unschedule = false }: { id: string; baseUpdatedAt: string; unschedule?: boolean },
    contentOf: ContentChange,
    preparation: Preparation | undefined,
  ) =>
    store.transaction(async () => {
      const current = await openForEdit(caller, id);
      if (current instanceof NeedsApproval) return current;
      mustBeCurrent(current, baseUpdatedAt);
      const isTakenBack = unschedule && current.status === 'Scheduled';
      const post = isTakenBack ? await lifecycle.unschedule(caller, id) : current;
      return save(caller, post, await contentOf(post), preparation);
    });

  /**
   * A scheduled post stays ready to go out. Whoever may not publish needs approval for the change, as `openForEdit` finds,
   * and a rehearsal of that makes nothing ready.
   */
  const prepareChange = async <Input extends { id: string; baseUpdatedAt: string; unschedule?: boolean }>(
    caller: Caller,
    input: Input,
    contentOf: ContentChange,
  ) => {
    if (!caller.mayPublish || caller.rehearses || input.unschedule) return { input };
    const post = await store.get(caller.workspaceId, input.id);
    if (post?.status !== 'Scheduled') return { input };
    mustBeCurrent(post, input.baseUpdatedAt);
    return { input, ready: await readiness.makeReady(caller, { ...post, ...(await contentOf(post)) }) };
  };

  const replacing = (caller: Caller, input: ReplaceInput) =>
    content.replaceWith(caller, input, (at) => lifecycle.mustBeFuture(at, 'scheduledAt'));

  const save = async (caller: Caller, post: Post, content: Partial<PostContent>, preparation?: Preparation) => {
    if (post.status === 'Scheduled' && preparation === undefined) throw scheduledMeanwhile(post);
    const { accountIds, versions, scheduledAt = null } = { ...post, ...content };
    mustFit(versions);
    await revisions.recordEdit(caller, post, { accountIds, versions });
    const saved = await store.replace(post.id, caller.workspaceId, { accountIds, versions, scheduledAt });
    if (preparation && saved.status === 'Scheduled') {
      await lifecycle.recheckScheduled(caller, post, saved, preparation);
    } else await readiness.beginFits(caller, saved);
    return saved;
  };

  return {
    /** A draft that a caller who may publish gives a time is scheduled at once. */
    prepareCreate: async <Input extends Replacement & { body: string; scheduledAt: string }>(
      caller: Caller,
      input: Input,
    ) => {
      const settled = await content.settleFiles(caller, input, async () => mustBeEither(input));
      if (settled instanceof NeedsApproval) return settled;
      const { accountIds, scheduledAt } = settled;
      if (!caller.mayPublish || !scheduledAt) return { input: settled };
      const networkOf = await accounts.networksOf(caller, accountIds);
      const versions = await content.firstVersions(caller, settled, networkOf);
      return { input: settled, ready: await readiness.makeReady(caller, { id: notYet, accountIds, versions }) };
    },

    prepareUpdate: async <Input extends ReplaceInput>(caller: Caller, input: Input) => {
      const settled = await content.settleFiles(caller, input, async () => {
        const post = mustBeEditable(caller, input.id, await store.get(caller.workspaceId, input.id));
        if (post instanceof NeedsApproval) return post;
        mustBeCurrent(post, input.baseUpdatedAt);
        return undefined;
      });
      return settled instanceof NeedsApproval ? settled : prepareChange(caller, settled, replacing(caller, settled));
    },

    prepareText: (caller: Caller, input: TextInput) => prepareChange(caller, input, content.setText(input)),

    prepareOption: (caller: Caller, input: OptionInput) =>
      prepareChange(caller, input, content.setOption(caller, input)),

    /**
     * A time from a caller who may publish schedules the post. From another person it becomes an approval request. From
     * anybody else it is stored as a suggestion.
     */
    create: async (
      caller: Caller,
      input: Replacement & { body: string; scheduledAt: string },
      preparation?: Preparation,
    ) => {
      const { accountIds, scheduledAt } = input;
      const networkOf = await accounts.networksOf(caller, accountIds);
      const id = newId('post', clock.now());
      const insert = async () => {
        const versions = await content.firstVersions(caller, input, networkOf);
        const post = await store.insert(id, caller, { accountIds, versions, scheduledAt: scheduledAt || null });
        await readiness.beginFits(caller, { id, status: 'Draft', accountIds, versions });
        return post;
      };
      if (preparation && scheduledAt) {
        return store.transaction(async () => {
          await insert();
          return lifecycle.toScheduled(caller, id, scheduledAt, 'scheduledAt', preparation);
        });
      }
      // Versions may have files, and only a transaction keeps these locked until the post exists. A text needs no
      // transaction.
      const post = await (input.versions.length > 0 ? store.transaction(insert) : insert());
      if (!caller.isPerson || !scheduledAt) return post;
      const request = { action: 'posts.schedule', input: { id, at: scheduledAt } };
      // A time that is refused leaves no draft.
      return new DoneWithRequest(post, request, () => store.remove(id, caller.workspaceId));
    },

    /** For an import, which checks many drafts and already has the networks of all accounts. */
    check: content.checkContent,

    /** An imported draft. Its time is only a suggestion, even from a caller who may publish. */
    addDraft: (caller: Caller, input: Replacement & { scheduledAt: string | null }): Promise<Post> =>
      store.transaction(async () => {
        const versions = content.checkContent(input, await accounts.networksOf(caller, input.accountIds));
        await library.mustExist(caller, content.filesIn(input.versions));
        const { accountIds, scheduledAt } = input;
        const draft = { accountIds, versions, scheduledAt };
        return (await store.insert(newId('post', clock.now()), caller, draft)).value;
      }),

    update: (caller: Caller, input: ReplaceInput, preparation?: Preparation) =>
      change(caller, input, replacing(caller, input), preparation),

    setVersionText: (caller: Caller, input: TextInput, preparation?: Preparation) =>
      change(caller, input, content.setText(input), preparation),

    setOption: (caller: Caller, input: OptionInput, preparation?: Preparation) =>
      change(caller, input, content.setOption(caller, input), preparation),
  };
};

const alreadyOut = ({ id, status }: Post) =>
  new Refusal('Conflict', `The post ${id} is ${status} and can no longer be changed. Read it again.`);

const scheduledMeanwhile = ({ id }: Post) =>
  new Refusal('Conflict', `The post ${id} was scheduled meanwhile. Read it again.`);

const mustBeCurrent = ({ id, updatedAt }: Post, baseUpdatedAt: string) => {
  if (baseUpdatedAt === '' || baseUpdatedAt === updatedAt) return;
  throw new Refusal('Conflict', `The post ${id} was changed at ${updatedAt}, after your baseUpdatedAt. Read it again.`);
};
