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
import { useEditor } from './use-editor.ts';

const LabelsDialog = lazy(() => import('#web/parts/labels-dialog.tsx'));

/** The labels of the post. They stand beside it: no network sees them, and they change nothing of what goes out. */
export const PostLabels = () => {
  const { save, readOnly } = useEditor();
  const id = save.base?.id;
  const { data } = useQuery({
    queryKey: keys.postLabels(id ?? ''),
    queryFn: ({ signal }) => app.getPostLabels({ id: id ?? '' }, { signal }),
    enabled: id !== undefined,
  });
  const ids = data?.labelIds ?? [];
  const labels = useLabels().of(ids);
  const choose = useChoose();
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

/** At once on the page; a post that is not made yet is made for its first label. */
const useChoose = () => {
  const { save, saver } = useEditor();
  const client = useQueryClient();
  const labelPosts = useLabelPosts();
  return async (label: string, on: boolean) => {
    const post = save.base ?? (await saver.settle().catch(tellNotSaved));
    if (post === undefined) return;
    const key = keys.postLabels(post.id);
    const before = client.getQueryData<{ labelIds: string[] }>(key)?.labelIds ?? [];
    const others = before.filter((id) => id !== label);
    client.setQueryData(key, { labelIds: on ? [...others, label] : others });
    await labelPosts([post.id], on ? { add: [label] } : { remove: [label] });
  };
};

const tellNotSaved = (error: unknown) => {
  showToast({ tone: 'red', text: `The post is not saved yet, so it has no labels. ${faultOf(error).message}` });
  return undefined;
};
