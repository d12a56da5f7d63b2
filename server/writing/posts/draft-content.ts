import type { Post, Version, VersionInput } from '#contracts/posts';
import type { NeedsApproval } from '#server/base/approval';
import type { Caller } from '#server/base/context';
import { badInput } from '#server/base/errors';
import type { Accounts, ConnectedNetwork } from '#server/connecting/accounts/accounts';
import type { MediaLibrary } from '#server/media/library';
import type { Networks } from '#server/networks/registry';
import { optionFor, wrongValue } from './limits.ts';
import { isAddress, type MediaByAddress } from './media-by-address.ts';
import type { PostContent } from './post-store.ts';
import { mustFit, originalVersion, toVersions, withOption, withText } from './versions.ts';

/** The new content of a post, or a refusal. Writes nothing. */
export type ContentChange = (post: Post) => Promise<Partial<PostContent>>;

export interface Replacement {
  readonly accountIds: string[];
  readonly versions: VersionInput[];
}

export interface TextInput {
  readonly id: string;
  readonly accountId: string;
  readonly itemIndex: number;
  readonly body: string;
  readonly only: boolean;
  readonly baseUpdatedAt: string;
}

export interface OptionInput {
  readonly id: string;
  readonly accountId: string;
  readonly key: string;
  readonly value: string;
  readonly baseUpdatedAt: string;
}

export type DraftContent = ReturnType<typeof createDraftContent>;

/** What may stand in a post: its options, files and versions. */
export const createDraftContent = ({
  accounts,
  library,
  networks,
  mediaByAddress,
}: {
  accounts: Accounts;
  library: MediaLibrary;
  networks: Networks;
  mediaByAddress: MediaByAddress;
}) => {
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

  /** Settles files that versions name by address, after everything else was checked: a refusal must not cost a download. */
  const settleFiles = async <Input extends Replacement>(
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
    checkContent,

    filesIn,

    firstVersions,

    settleFiles,

    replaceWith:
      (
        caller: Caller,
        input: Replacement & { scheduledAt: string },
        mustBeFuture: (at: string) => void,
      ): ContentChange =>
      async (post) => {
        const versions = checkContent(input, await accounts.networksOf(caller, input.accountIds));
        await library.mustExist(caller, filesIn(input.versions));
        if (post.status === 'Scheduled' && input.scheduledAt) mustBeFuture(input.scheduledAt);
        // An edit leaves the status alone (SPEC), so a scheduled post without a new time keeps its own.
        const currentTime = post.status === 'Scheduled' ? (post.scheduledAt ?? null) : null;
        return { accountIds: input.accountIds, versions, scheduledAt: input.scheduledAt || currentTime };
      },

    setText:
      (input: TextInput): ContentChange =>
      async (post) => {
        mustBeAccountOf(post, input.accountId);
        return { versions: withText(post.versions, input) };
      },

    setOption:
      (caller: Caller, input: OptionInput): ContentChange =>
      async (post) => {
        mustBeAccountOf(post, input.accountId);
        const networkOf = await accounts.connectedOf(caller, post.accountIds);
        checkOption(input, networkOf, { key: 'key', value: 'value' });
        if (namesFile(input.key) && input.value) {
          await library.mustExist(caller, [{ path: 'value', id: input.value }]);
        }
        return { versions: withOption(post.versions, input.accountId, input.key, input.value) };
      },
  };
};

export const mustBeEither = ({ body, versions }: { body: string; versions: readonly VersionInput[] }): undefined => {
  if (body === '' || versions.length === 0) return;
  throw badInput({
    path: 'body',
    code: 'Repeated',
    message: 'must be left out beside versions, which have the text',
  });
};
