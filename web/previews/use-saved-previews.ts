import { useQuery } from '@tanstack/react-query';
import type { LinkCard, MediaItem, Post } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys, queries } from '#web/base/queries.ts';
import type { PreviewPost } from './model.ts';
import { toPreview } from './to-preview.ts';

interface Target {
  readonly id: string;
  readonly network: string;
  readonly provider: string;
  readonly name: string;
  readonly handle: string;
  readonly avatarUrl?: string | undefined;
}

/** The files and link cards of an approval request; the post may have changed since. */
interface Pinned {
  readonly media: readonly MediaItem[];
  readonly linkCards: readonly LinkCard[];
  readonly fittedOf: (accountId: string, mediaId: string) => MediaItem | undefined;
}

/** Previews of a saved post, one per account. Without `pinned`, they show the server's current files. */
export const useSavedPreviews = (
  post: Pick<Post, 'id' | 'versions'>,
  targets: readonly Target[],
  pinned?: Pinned,
): { id: string; post: PreviewPost }[] => {
  const providers = useQuery(queries.limits).data?.providers ?? [];
  const { data: view } = useQuery({
    queryKey: keys.editor(post.id),
    queryFn: ({ signal }) => app.viewForEditor({ id: post.id }, { signal }),
    meta: { part: 'preview' },
  });
  const original = post.versions.find(({ accountId }) => accountId === undefined);
  const media = pinned?.media ?? view?.media;
  // Until the files have loaded, a preview would look like a post without media.
  if (media === undefined) return [];
  return targets.flatMap((account) => {
    const provider = providers.find(({ network }) => network === account.network);
    const own = view?.accounts.find(({ accountId }) => accountId === account.id);
    const limits = own?.constraints ?? provider?.constraints;
    const version = post.versions.find(({ accountId }) => accountId === account.id) ?? original;
    if (limits === undefined || provider === undefined || version === undefined) return [];
    const preview = toPreview({
      account,
      limits,
      items: version.content,
      options: { ...original?.options, ...version.options },
      networkOptions: provider.options,
      choicesOf: (key) => own?.choices[key],
      mediaOf: (id) => media.find((item) => item.id === id),
      fittedOf: (id) => (pinned ? pinned.fittedOf(account.id, id) : own?.fitted[id]),
      linkCards: pinned?.linkCards ?? view?.linkCards ?? [],
    });
    return [{ id: account.id, post: preview }];
  });
};
