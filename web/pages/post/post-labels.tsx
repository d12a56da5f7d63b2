import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Tag } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { app } from '#web/api.ts';
import { faultOf } from '#web/faults.ts';
import { LabelChip } from '#web/parts/label-chip.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import { useLabelPosts, useLabels } from '#web/parts/use-labels.ts';
import { keys } from '#web/queries.ts';
import styles from './post-labels.module.css';

const LabelsDialog = lazy(() => import('#web/parts/labels-dialog.tsx'));

/** The labels of a post. They stand beside it: no network sees them, and they change nothing of what goes out. */
export const PostLabels = ({
  id,
  readOnly,
  make,
}: {
  id: string | undefined;
  readOnly: boolean;
  /** Of a post that is not made yet: makes it for its first label. */
  make?: () => Promise<string | undefined>;
}) => {
  const { data } = useQuery({
    queryKey: keys.postLabels(id ?? ''),
    queryFn: ({ signal }) => app.getPostLabels({ id: id ?? '' }, { signal }),
    enabled: id !== undefined,
  });
  const ids = data?.labelIds ?? [];
  const labels = useLabels().of(ids);
  const choose = useChoose(id, make);
  const [choosing, setChoosing] = useState(false);
  if (readOnly && labels.length === 0) return null;
  return (
    <div className={styles.row}>
      {labels.map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
      {!readOnly && (
        <button type="button" className={styles.add} onClick={() => setChoosing(true)}>
          <Tag size={13} aria-hidden="true" />
          Labels
        </button>
      )}
      <Suspense>
        {choosing && (
          <LabelsDialog
            title="Labels"
            having={(label) => (ids.includes(label) ? 'all' : 'none')}
            onChoose={(label, on) => void choose(label, on)}
            onClose={() => setChoosing(false)}
          />
        )}
      </Suspense>
    </div>
  );
};

/** At once on the page. */
const useChoose = (known: string | undefined, make: (() => Promise<string | undefined>) | undefined) => {
  const client = useQueryClient();
  const labelPosts = useLabelPosts();
  return async (label: string, on: boolean) => {
    const id = known ?? (await make?.().catch(tellNotSaved));
    if (id === undefined) return;
    const key = keys.postLabels(id);
    const before = client.getQueryData<{ labelIds: string[] }>(key)?.labelIds ?? [];
    const others = before.filter((one) => one !== label);
    client.setQueryData(key, { labelIds: on ? [...others, label] : others });
    await labelPosts([id], on ? { add: [label] } : { remove: [label] });
  };
};

const tellNotSaved = (error: unknown) => {
  showToast({ tone: 'red', text: `The post is not saved yet, so it has no labels. ${faultOf(error).message}` });
  return undefined;
};
