import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Tag } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { app } from '#web/base/api.ts';
import { faultOf } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { LabelChip } from '#web/parts/label-chip.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { useLabelPosts, useLabels } from '#web/parts/use-labels.ts';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';
import styles from './post-labels.module.css';

const LabelsDialog = lazy(() => import('#web/parts/labels-dialog.tsx'));

/** Labels are internal: no network gets them. */
export const PostLabels = ({ id, readOnly }: { id: string | undefined; readOnly: boolean }) => {
  const { labels, open, dialog } = usePostLabels(id);
  if (readOnly && labels.length === 0) return null;
  return (
    <div className={styles.row}>
      {labels.map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
      {!readOnly && (
        <button type="button" className={styles.add} onClick={open}>
          <Tag size={13} aria-hidden="true" />
          Labels
        </button>
      )}
      {dialog}
    </div>
  );
};

/** `make` creates a new post when its first label is chosen. */
export const usePostLabels = (id: string | undefined, make?: () => Promise<string | undefined>) => {
  const { data } = useQuery({
    queryKey: keys.postLabels(id ?? ''),
    queryFn: ({ signal }) => app.getPostLabels({ id: id ?? '' }, { signal }),
    enabled: id !== undefined,
  });
  const ids = usePendingChanges<Choice>(key)
    .filter((choice) => choice.id === id || choice.id === undefined)
    .reduce(withChoice, data?.labelIds ?? []);
  const labels = useLabels().of(ids);
  const { mutate: choose } = useChoose(make);
  const [choosing, setChoosing] = useFormDraft('labels', false);
  return {
    labels,
    names: labels.map(({ name }) => name).join(', '),
    open: () => setChoosing(true),
    dialog: (
      <Suspense>
        {choosing && (
          <LabelsDialog
            title="Labels"
            having={(label) => (ids.includes(label) ? 'all' : 'none')}
            onChoose={(label, on) => choose({ id, label, on })}
            onClose={() => setChoosing(false)}
          />
        )}
      </Suspense>
    ),
  };
};

const key = ['label of the post'];

interface Choice {
  /** Undefined for a new post. */
  id: string | undefined;
  label: string;
  on: boolean;
}

const withChoice = (labelIds: readonly string[], { label, on }: Choice) => {
  const others = labelIds.filter((one) => one !== label);
  return on ? [...others, label] : others;
};

const useChoose = (make: (() => Promise<string | undefined>) | undefined) => {
  const client = useQueryClient();
  const labelPosts = useLabelPosts();
  return useOptimisticChange({
    key,
    send: async (choice: Choice) => {
      const id = choice.id ?? (await make?.());
      if (id !== undefined && !(await labelPosts([id], { [choice.on ? 'add' : 'remove']: [choice.label] }))) return;
      return id;
    },
    onSuccess: async (id, choice) => {
      if (id === undefined) return;
      await client.cancelQueries({ queryKey: keys.postLabels(id) });
      client.setQueryData<{ labelIds: string[] }>(keys.postLabels(id), (before) => ({
        labelIds: withChoice(before?.labelIds ?? [], choice),
      }));
      void client.invalidateQueries({ queryKey: keys.postLabels(id) });
    },
    onError: (error) =>
      showToast({ tone: 'red', text: `The post is not saved yet, so it has no labels. ${faultOf(error).message}` }),
  });
};
