import type { Post } from '#generated/app-client';
import { useZone } from '#web/base/session.ts';
import { formatDateTime } from '#web/base/time.ts';
import type { Target } from '#web/parts/results/target.ts';
import { PreviewPicker } from '#web/previews/preview-picker.tsx';
import { useSavedPreviews } from '#web/previews/use-saved-previews.ts';

const notes: Partial<Record<Target['state'], string>> = {
  Failed: 'did not go out',
  Uncertain: 'uncertain',
  Publishing: 'not out yet',
};

/** The content for each account; accounts that published it come first. */
export const SentContent = ({ post, targets }: { post: Post; targets: readonly Target[] }) => {
  const zone = useZone();
  const sorted = targets.toSorted((a, b) => Number(b.state === 'Published') - Number(a.state === 'Published'));
  const previews = useSavedPreviews(
    post,
    sorted.map(({ accountId, account, network, provider }) => ({
      ...(account ?? { name: provider, handle: '' }),
      id: accountId,
      network,
      provider,
    })),
  );
  const entries = previews.map((entry) => {
    const target = targets.find(({ accountId }) => accountId === entry.id);
    const at = target?.entry?.publishedAt ?? target?.result?.publishedAt;
    return {
      ...entry,
      note: target && notes[target.state],
      time: at && formatDateTime(at, zone),
    };
  });
  return <PreviewPicker title="What went out" entries={entries} />;
};
