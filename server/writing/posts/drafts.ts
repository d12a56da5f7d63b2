import type { Post, Version, VersionInput } from '#contracts/posts';
import { DoneWithRequest, NeedsApproval } from '#server/base/approval';
import type { Clock } from '#server/base/clock';
import type { ApprovalRun, Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Accounts, ConnectedNetwork } from '#server/connecting/accounts/accounts';
import type { MediaLibrary } from '#server/media/library';
import type { Networks } from '#server/networks/registry';
import type { Revisions } from '#server/writing/history/revisions';
import type { Lifecycle } from './lifecycle.ts';
import { optionFor, wrongValue } from './limits.ts';
import { isAddress, type MediaByAddress } from './media-by-address.ts';
import type { PostContent, PostStore } from './post-store.ts';
import type { Preparation, Readiness } from './readiness.ts';
import { mustFit, originalVersion, toVersions, withOption, withText } from './versions.ts';

export type Drafts = ReturnType<typeof createDrafts>;

export const createDrafts = ({
  store,
  accounts,
  library,
  networks,
  lifecycle,
  readiness,
  mediaByAddress,
  revisions,
  clock,
}: {
  store: PostStore;
  accounts: Accounts;
  library: MediaLibrary;
  networks: Networks;
  lifecycle: Lifecycle;
  readiness: Readiness;
  mediaByAddress: MediaByAddress;
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

  /** The new content of a post, or a refusal. Writes nothing. */
  type ContentChange = (post: Post) => Promise<Partial<PostContent>>;

  const change = async (
    caller: Caller,
    { id, baseUpdatedAt, unschedule = false }: { id: string; baseUpdatedAt: string; unschedule?: boolean },
    contentOf: ContentChange,
    approval: ApprovalRun | undefined,
  ) => {
    const preparation =
      approval ?? (unschedule ? undefined : await prepareChange(caller, { id, baseUpdatedAt }, contentOf));
    return store.transaction(async () => {
      const current = await openForEdit(caller, id);
      if (current instanceof NeedsApproval) return current;
      mustBeCurrent(current, baseUpdatedAt);
      const isTakenBack = unschedule && current.status === 'Scheduled';
      const post = isTakenBack ? await lifecycle.unschedule(caller, id) : current;
      return save(caller, post, await contentOf(post), preparation);
    });
  };

  /** A scheduled post stays ready to go out. */
  const prepareChange = async (
    caller: Caller,
    { id, baseUpdatedAt }: { id: string; baseUpdatedAt: string },
    contentOf: ContentChange,
  ) => {
    // Anybody else needs approval for the change, as `openForEdit` finds.
    if (!caller.mayPublish) return;
    const post = await store.get(caller.workspaceId, id);
    if (post?.status !== 'Scheduled') return;
    mustBeCurrent(post, baseUpdatedAt);
    return readiness.makeReady(caller, { ...post, ...(await contentOf(post)) });
  };

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

  const checkOptions = (versions: readonly Version[], networkOf: ReadonlyMap<string, ConnectedNetwork>) => {
    for (const [index, { accountId = '', options }] of versions.entries()) {
      for (const [key, value] of Object.entries(options)) {
        const path = `versions.${index}.options.${key}`;
        checkOption({ accountId, key, value }, networkOf, { key: path, value: path });
      }
    }
  };

  /**
   * The option must exist, belong to the network of the account, and have a value that at least one account of the post
   * can have.
   */
  const checkOption = (
    { accountId, key, value }: { accountId: string; key: string; value: string },
    networkOf: ReadonlyMap<string, ConnectedNetwork>,
    path: { key: string; value: string },
  ) => {
    const match = networks.option(key);
    if (match === undefined) {
      const message = `names no option (${key}); providers.limits lists them`;
      throw badInput({ path: path.key, code: 'UnknownOption', message });
    }
    const { network, option } = match;
    const own = accountId ? networkOf.get(accountId) : undefined;
    if (own && network.key !== own.network) {
      const message = `names an option of another network than that of this account (${key})`;
      throw badInput({ path: path.key, code: 'UnknownOption', message });
    }
    if (value === '') return;
    const targets = (own ? [own] : [...networkOf.values()]).filter((one) => one.network === network.key);
    const offered = targets.length === 0 ? [option] : targets.map(({ facts }) => optionFor(network, option, facts));
    const complaints = offered.map((one) => wrongValue(one, value));
    const [message] = complaints;
    if (message !== undefined && !complaints.includes(undefined)) {
      throw badInput({ path: path.value, code: 'OptionValue', message, actual: value.slice(0, 100) });
    }
  };

  /** The versions in their stored form, or BadInput with the path of the mistake. Does not check that files exist. */
  const checkContent = (
    { accountIds, versions: input }: { accountIds: readonly string[]; versions: readonly VersionInput[] },
    networkOf: ReadonlyMap<string, ConnectedNetwork>,
  ) => {
    const versions = toVersions(input, accountIds);
    mustFit(versions);
    checkOptions(input, networkOf);
    return versions;
  };

  const namesFile = (key: string) => networks.option(key)?.option.type === 'Media';

  const filesIn = (versions: readonly VersionInput[]) =>
    versions.flatMap(({ content, options }, v) => [
      ...content.flatMap(({ media }, i) =>
        media.map((id, m) => ({ path: `versions.${v}.content.${i}.media.${m}`, id })),
      ),
      ...Object.entries(options).flatMap(([key, id]) =>
        id !== '' && namesFile(key) ? [{ path: `versions.${v}.options.${key}`, id }] : [],
      ),
    ]);

  const firstVersions = async (
    caller: Caller,
    { accountIds, body, versions }: { accountIds: string[]; body: string; versions: VersionInput[] },
    networkOf: ReadonlyMap<string, ConnectedNetwork>,
  ) => {
    if (versions.length === 0) return [originalVersion(body)];
    mustBeEither({ body, versions });
    await library.mustExist(caller, filesIn(versions));
    return checkContent({ accountIds, versions }, networkOf);
  };

  const mustBeAccountOf = (post: Post, accountId: string) => {
    if (accountId && !post.accountIds.includes(accountId)) {
      throw badInput({
        path: 'accountId',
        code: 'UnknownAccount',
        message: `names ${accountId}, which is not an account of this post`,
      });
    }
  };

  interface Replacement {
    readonly accountIds: string[];
    readonly versions: VersionInput[];
  }

  /** Settles files that versions name by address, after everything else was checked: a refusal must not cost a download. */
  const prepare = async <Input extends Replacement>(
    caller: Caller,
    input: Input,
    check: () => Promise<NeedsApproval | undefined>,
  ) => {
    const versions = mediaByAddress.withOwnIds(input.versions);
    if (!mediaByAddress.isNeeded(versions)) return { ...input, versions };
    const missing = await check();
    if (missing) return missing;
    checkContent({ ...input, versions }, await accounts.networksOf(caller, input.accountIds));
    await library.mustExist(
      caller,
      filesIn(versions).filter(({ id }) => !isAddress(id)),
    );
    return { ...input, versions: await mediaByAddress.settle(caller, versions) };
  };

  return {
    prepareCreate: <Input extends Replacement & { body: string }>(caller: Caller, input: Input) =>
      prepare(caller, input, async () => {
        mustBeEither(input);
        return undefined;
      }),

    prepareUpdate: <Input extends Replacement & { id: string; baseUpdatedAt: string }>(caller: Caller, input: Input) =>
      prepare(caller, input, async () => {
        const post = mustBeEditable(caller, input.id, await store.get(caller.workspaceId, input.id));
        if (post instanceof NeedsApproval) return post;
        mustBeCurrent(post, input.baseUpdatedAt);
        return undefined;
      }),

    /**
     * A time from a caller who may publish schedules the post. From another person it becomes an approval request. From
     * anybody else it is stored as a suggestion.
     */
    create: async (
      caller: Caller,
      input: { accountIds: string[]; body: string; versions: VersionInput[]; scheduledAt: string },
    ) => {
      const { accountIds, scheduledAt } = input;
      const networkOf = await accounts.networksOf(caller, accountIds);
      const id = newId('post', clock.now());
      const checkVersions = () => firstVersions(caller, input, networkOf);
      const insert = async () => {
        const versions = await checkVersions();
        const post = await store.insert(id, caller, { accountIds, versions, scheduledAt: scheduledAt || null });
        await readiness.beginFits(caller, { id, status: 'Draft', accountIds, versions });
        return post;
      };
      if (caller.mayPublish && scheduledAt) {
        const preparation = await readiness.makeReady(caller, { id, accountIds, versions: await checkVersions() });
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
    check: checkContent,

    /** An imported draft. Its time is only a suggestion, even from a caller who may publish. */
    addDraft: (
      caller: Caller,
      input: { accountIds: string[]; versions: VersionInput[]; scheduledAt: string | null },
    ): Promise<Post> =>
      store.transaction(async () => {
        const versions = checkContent(input, await accounts.networksOf(caller, input.accountIds));
        await library.mustExist(caller, filesIn(input.versions));
        const { accountIds, scheduledAt } = input;
        const content = { accountIds, versions, scheduledAt };
        return (await store.insert(newId('post', clock.now()), caller, content)).value;
      }),

    update: (
      caller: Caller,
      input: {
        id: string;
        accountIds: string[];
        versions: VersionInput[];
        scheduledAt: string;
        unschedule?: boolean;
        baseUpdatedAt: string;
      },
      approval?: ApprovalRun,
    ) => {
      const contentOf: ContentChange = async (post) => {
        const networkOf = await accounts.networksOf(caller, input.accountIds);
        const versions = checkContent(input, networkOf);
        await library.mustExist(caller, filesIn(input.versions));
        if (post.status === 'Scheduled' && input.scheduledAt) lifecycle.mustBeFuture(input.scheduledAt, 'scheduledAt');
        // An edit leaves the status alone (SPEC), so a scheduled post without a new time keeps its own.
        const currentTime = post.status === 'Scheduled' ? (post.scheduledAt ?? null) : null;
        return { accountIds: input.accountIds, versions, scheduledAt: input.scheduledAt || currentTime };
      };
      return change(caller, input, contentOf, approval);
    },

    setVersionText: (
      caller: Caller,
      input: {
        id: string;
        accountId: string;
        itemIndex: number;
        body: string;
        only: boolean;
        baseUpdatedAt: string;
      },
      approval?: ApprovalRun,
    ) => {
      const contentOf: ContentChange = async (post) => {
        mustBeAccountOf(post, input.accountId);
        return { versions: withText(post.versions, input) };
      };
      return change(caller, input, contentOf, approval);
    },

    setOption: (
      caller: Caller,
      input: { id: string; accountId: string; key: string; value: string; baseUpdatedAt: string },
      approval?: ApprovalRun,
    ) => {
      const contentOf: ContentChange = async (post) => {
        mustBeAccountOf(post, input.accountId);
        const networkOf = await accounts.connectedOf(caller, post.accountIds);
        checkOption(input, networkOf, { key: 'key', value: 'value' });
        if (namesFile(input.key) && input.value) {
          await library.mustExist(caller, [{ path: 'value', id: input.value }]);
        }
        return { versions: withOption(post.versions, input.accountId, input.key, input.value) };
      };
      return change(caller, input, contentOf, approval);
    },
  };
};

const mustBeEither = ({ body, versions }: { body: string; versions: readonly VersionInput[] }) => {
  if (body === '' || versions.length === 0) return;
  throw badInput({
    path: 'body',
    code: 'Repeated',
    message: 'must be left out beside versions, which have the text',
  });
};

const alreadyOut = ({ id, status }: Post) =>
  new Refusal('Conflict', `The post ${id} is ${status} and can no longer be changed. Read it again.`);

const scheduledMeanwhile = ({ id }: Post) =>
  new Refusal('Conflict', `The post ${id} was scheduled meanwhile. Read it again.`);

const mustBeCurrent = ({ id, updatedAt }: Post, baseUpdatedAt: string) => {
  if (baseUpdatedAt === '' || baseUpdatedAt === updatedAt) return;
  throw new Refusal('Conflict', `The post ${id} was changed at ${updatedAt}, after your baseUpdatedAt. Read it again.`);
};
