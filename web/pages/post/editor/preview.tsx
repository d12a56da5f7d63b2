import type { Account } from '#generated/app-client';
import { withShortLinks } from '#server/networks/short-links';
import { extrasOf } from '#web/parts/extras.ts';
import { linkCardsIn } from '#web/parts/link-card.tsx';
import { thumbnailOf } from '#web/parts/media-file.ts';
import { PostPreview } from '#web/parts/post-preview.tsx';
import { toRelativeUrl } from '#web/parts/to-relative-url.ts';
import { resultFor } from './draft.ts';
import { useEditor } from './use-editor.ts';

export const Preview = ({ account }: { account: Account }) => {
  const { deferredDraft, limitsOf, optionsOf, mediaOf, fittedOf, linkCards } = useEditor();
  const limits = limitsOf(account);
  if (limits === undefined) return null;
  const { items, options } = resultFor(deferredDraft, account.id);
  const titleKey = `${account.network}.title`;
  const own = optionsOf(account.network);
  const hasTitle = own.some(({ key }) => key === titleKey);
  const cover = own.find(({ key, type }) => type === 'Media' && options[key]);
  const [firstLine = ''] = items[0]?.body.trim().split('\n') ?? [];
  const documentTitle = options[`${account.network}.document_title`] || firstLine || 'Document';
  const hasCards = options[`${account.network}.link_card`] !== 'false';
  return (
    <PostPreview
      account={{ ...account, picture: account.avatarUrl && toRelativeUrl(account.avatarUrl) }}
      limits={limits}
      extras={extrasOf(options, account.network)}
      title={hasTitle ? (options[titleKey] ?? '') : undefined}
      cover={cover && thumbnailOf(options[cover.key] ?? '')}
      items={items.map(({ media, ...item }) => ({
        ...item,
        body: limits.characters.shortLinks ? withShortLinks(item.body).text : item.body,
        linkCard: media.length === 0 && hasCards ? linkCardsIn(linkCards, account.network, item.body)[0] : undefined,
        media: media.map((id) => {
          const { kind, alt = '' } = mediaOf(id) ?? {};
          const fitted = fittedOf(account, id);
          return {
            key: id,
            src: thumbnailOf(fitted?.id ?? id),
            isVideo: (fitted?.kind ?? kind) === 'Video',
            isFitted: fitted !== undefined,
            playsAt: fitted?.kind === 'Video' ? `/media/${fitted.id}` : undefined,
            title: kind === 'Document' ? documentTitle : undefined,
            alt,
          };
        }),
      }))}
    />
  );
};
