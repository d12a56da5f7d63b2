import type { ApprovalCard, Post } from '#generated/app-client';
import { useZone } from '#web/base/session.ts';
import { formatDateTime } from '#web/base/time.ts';
import { PreviewPicker } from '#web/previews/preview-picker.tsx';
import { useSavedPreviews } from '#web/previews/use-saved-previews.ts';

/** What the request would make public, as readers see it. */
export const CardPreviews = ({
  card,
  content,
  at = typeof card.input.at === 'string' ? card.input.at : content.scheduledAt,
}: {
  card: ApprovalCard;
  content: Post;
  at?: string | undefined;
}) => {
  const zone = useZone();
  const { media, fitted, linkCards } = card;
  const time = at && card.action !== 'posts.publishNow' ? formatDateTime(at, zone) : undefined;
  const accounts = card.accounts.filter(({ id }) => content.accountIds.includes(id));
  const previews = useSavedPreviews(content, accounts, {
    media,
    linkCards,
    fittedOf: (accountId, mediaId) =>
      fitted.find((one) => one.accountId === accountId && one.mediaId === mediaId)?.media,
  });
  return <PreviewPicker title="Preview" entries={previews.map((entry) => ({ ...entry, time }))} />;
};
