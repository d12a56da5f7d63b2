import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '#server/base/context';
import type { AccountAccess } from '#server/connecting/accounts/access';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { MediaLibrary } from '#server/media/library';
import type { Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { FittablePost } from './fitting.ts';
import type { LinkCardStore } from './link-card-store.ts';
import { mediaIn, outgoingTo } from './outgoing.ts';

/** Pages fetched for one post. Further links get a plain card with only the address. */
const maxFetched = 20;
/** Somebody waits for the answer, so a slow page gets a plain card. */
const timeoutMs = 5_000;

export type LinkCards = ReturnType<typeof createLinkCards>;

/** Previews of linked pages, as they are when a person is asked for approval or decides. */
export const createLinkCards = ({
  store,
  accounts,
  access,
  library,
  networks,
}: {
  store: LinkCardStore;
  accounts: Accounts;
  access: Pick<AccountAccess, 'site'>;
  library: MediaLibrary;
  networks: Networks;
}) => {
  const read = async ({ linkCards }: Network, accountId: string, uri: string) => {
    const site = await access.site(accountId);
    const timer = new AbortController();
    const page = site && linkCards?.read(site, uri);
    const card = await Promise.race([page, sleep(timeoutMs, undefined, timer)]).finally(() => timer.abort());
    return card ?? linkCards?.plain(uri);
  };

  const keep = async (caller: Caller, { id, accountIds, versions }: Omit<FittablePost, 'status'>) => {
    const media = await library.find(caller, mediaIn(versions));
    const connected = await accounts.connectedOf(caller, accountIds);
    const missing = new Map<string, { network: Network; accountId: string; uri: string }>();
    for (const accountId of accountIds) {
      const network = networks.find(connected.get(accountId)?.network ?? '');
      if (network?.linkCards === undefined) continue;
      const { post } = outgoingTo(network, versions, accountId, media);
      for (const uri of network.linkCards.of(post)) {
        missing.set(`${network.key} ${uri}`, { network, accountId, uri });
      }
    }
    if (missing.size === 0) return [];
    for (const { network, uri } of (await store.linkCards(caller.workspaceId, [id])).get(id) ?? []) {
      missing.delete(`${network} ${uri}`);
    }
    const cards = await Promise.all(
      [...missing.values()].map(async ({ network, accountId, uri }, index) => {
        const card = index < maxFetched ? await read(network, accountId, uri) : network.linkCards?.plain(uri);
        return card ? [{ network: network.key, ...card }] : [];
      }),
    );
    await store.keepLinkCards(caller.workspaceId, id, cards.flat());
    return cards.flat();
  };

  return {
    /** The bytes of a picture, by the name in its card. */
    picture: store.linkCardPicture,

    /** The stored cards of one post. */
    of: async ({ workspaceId }: Pick<Caller, 'workspaceId'>, postId: string) =>
      (await store.linkCards(workspaceId, [postId])).get(postId) ?? [],

    /**
     * Fetches and stores the cards that the post would show and that are not stored yet. A stored card never changes.
     * Returns those that were fetched, because nothing is stored of a post that does not exist yet.
     */
    keep,
  };
};
