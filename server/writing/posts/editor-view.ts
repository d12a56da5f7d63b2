import type { EditorView } from '#contracts/posts';
import type { Caller } from '#server/base/context';
import { notFound } from '#server/base/errors';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { FittedFiles } from '#server/media/fitted-files';
import type { MediaLibrary } from '#server/media/library';
import type { Networks } from '#server/networks/registry';
import type { LinkCards } from './link-cards.ts';
import { mediaIn, outgoingTo, toLinkCards } from './outgoing.ts';
import type { PostStore } from './post-store.ts';
import type { Readiness } from './readiness.ts';

export type EditorViews = ReturnType<typeof createEditorViews>;

/** What the editor shows beside a post: issues, limits, choices, media and link cards. */
export const createEditorViews = ({
  store,
  accounts,
  library,
  fittedFiles,
  networks,
  readiness,
  linkCards,
}: {
  store: PostStore;
  accounts: Accounts;
  library: MediaLibrary;
  fittedFiles: FittedFiles;
  networks: Networks;
  readiness: Readiness;
  linkCards: LinkCards;
}) => ({
  get: async (caller: Caller, id: string): Promise<EditorView> => {
    const post = await store.get(caller.workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    const mediaIds = mediaIn(post.versions);
    const files = await library.find(caller, mediaIds);
    const connected = await accounts.connectedOf(caller, post.accountIds);
    const choiceNames = await accounts.choiceNamesOf(caller, post.accountIds, post.versions);
    const { issues, warnings, fits } = await readiness.examine(caller, post);
    return {
      updatedAt: post.updatedAt,
      issues,
      warnings,
      accounts: post.accountIds.flatMap((accountId) => {
        const { network: key = '', facts = null } = connected.get(accountId) ?? {};
        const network = networks.find(key);
        if (network === undefined) return [];
        const outgoing = outgoingTo(network, post.versions, accountId, files);
        const choices = Object.fromEntries(
          network.options.flatMap(({ key }) => {
            const accountChoices = network.choicesFor?.(key, facts, outgoing.post) ?? choiceNames(accountId, key);
            return accountChoices ? [[key, accountChoices]] : [];
          }),
        );
        const fitted = Object.fromEntries(
          [...(fits.get(accountId)?.finished ?? [])].map(([id, row]) => [
            id,
            fittedFiles.item(row, files.get(id) ?? {}),
          ]),
        );
        const pollLimits = network.pollLimitsFor?.(facts);
        const constraints = network.constraintsFor(outgoing.post, facts);
        const disabledOptions = network.disabledOptions?.(outgoing.post, facts) ?? {};
        return [{ accountId, constraints, choices, disabledOptions, fitted, ...(pollLimits && { pollLimits }) }];
      }),
      media: await library.items(caller, mediaIds),
      linkCards: toLinkCards(await linkCards.of(caller, id)),
    };
  },
});
