import type { Label } from '#generated/app-client';
import styles from './label-chip.module.css';
import { useLabels } from './use-labels.ts';

export const LabelDot = ({ color }: { color: Label['color'] }) => (
  <span className={styles.dot} data-tone={color} aria-hidden="true" />
);

/** Outlined, to look different from state chips. */
export const LabelChip = ({ label: { name, color } }: { label: Pick<Label, 'name' | 'color'> }) => (
  <span className={styles.chip}>
    <LabelDot color={color} />
    <span className="hidden">Label </span>
    <span className="one-line" dir="auto">
      {name}
    </span>
  </span>
);

/** At most `max`, then `+2`. */
export const LabelChips = ({ ids, max }: { ids: readonly string[]; max: number }) => {
  const labels = useLabels().of(ids);
  if (labels.length === 0) return null;
  const rest = labels.slice(max);
  return (
    <span className={styles.chips}>
      {labels.slice(0, max).map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
      {rest.length > 0 && (
        <span className="caption text-3 number" title={rest.map(({ name }) => name).join(', ')}>
          +{rest.length}
          <span className="hidden"> more labels</span>
        </span>
      )}
    </span>
  );
};
