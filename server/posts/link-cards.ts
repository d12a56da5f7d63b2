import { setTimeout as sleep } from 'node:timers/promises';
import type { Post } from '#contracts/posts';
import type { AccountAccess } from '#server/accounts/access';
import type { Accounts } from '#server/accounts/accounts';
import type { Caller } from '#server/context';
import type { MediaLibrary } from '#server/media/library';
import type { Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { mediaIn, outgoingTo } from './outgoing.ts';
import type { PostStore } from './store.ts';

/** Of one post. A longer thread shows the addresses of the others without what their pages say. */
const mostRead = 20;
/** Somebody waits for the answer. */
const patienceMs = 5_000;

export type LinkCards = ReturnType<typeof createLinkCards>;

/** Previews of the pages that a post links to, as they are when a person is asked or decides. */
export const createLinkCards = ({
  store,
  accounts,
  access,
  library,
  networks,
}: {
  store: PostStore;
  accounts: Accounts;
  access: Pick<AccountAccess, 'site'>;
  library: MediaLibrary;
  networks: Networks;
}) => {
  const read = async ({ linkCards }: Network, accountId: string, uri: string) => {
    const site = await access.site(accountId);
    const late = new AbortController();
    const page = site && linkCards?.read(site, uri);
    const found = await Promise.race([page, sleep(patienceMs, undefined, late)]).finally(() => late.abort());
    return found ?? linkCards?.plain(uri);
  };

  const keep = async (caller: Caller, { id, accountIds, versions }: Pick<Post, 'id' | 'accountIds' | 'versions'>) => {
    const media = await library.find(caller, mediaIn(versions));
    const connected = await accounts.connectedOf(caller, accountIds);
    const wanted = new Map<string, { network: Network; accountId: string; uri: string }>();
    for (const accountId of accountIds) {
      const network = networks.find(connected.get(accountId)?.network ?? '');
      if (network?.linkCards === undefined) continue;
      const { post } = outgoingTo(network, versions, accountId, media);
      for (const uri of network.linkCards.of(post)) {
        wanted.set(`${network.key} ${uri}`, { network, accountId, uri });
      }
    }
    if (wanted.size === 0) return;
    for (const { network, uri } of (await store.linkCards(caller.workspaceId, [id])).get(id) ?? []) {
      wanted.delete(`${network} ${uri}`);
    }
    const cards = await Promise.all(
      [...wanted.values()].map(async ({ network, accountId, uri }, index) => {
        const card = index < mostRead ? await read(network, accountId, uri) : network.linkCards?.plain(uri);
        return card ? [{ network: network.key, ...card }] : [];
      }),
    );
    await store.keepLinkCards(caller.workspaceId, id, cards.flat());
  };

  return {
    /** The bytes of a picture, by what its card calls it. */
    picture: store.linkCardPicture,

    /** Of one post. */
    of: async ({ workspaceId }: Pick<Caller, 'workspaceId'>, postId: string) =>
      (await store.linkCards(workspaceId, [postId])).get(postId) ?? [],

    /** Reads those that the post would show and that are not kept yet. What is kept never changes. */
    keep,
  };
};
