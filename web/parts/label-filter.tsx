import { ActionIcon, Button, Checkbox, Popover } from '@mantine/core';
import { Tag } from 'lucide-react';
import styles from './account-filter.module.css';
import { LabelDot } from './label-chip.tsx';
import { useLabels } from './use-labels.ts';
import { usePhone } from './use-phone.ts';

/** Which labels a page shows; none chosen means all posts. Not there while there are no labels. */
export const LabelFilter = ({
  chosen,
  onChange,
  size = 'sm',
}: {
  chosen: readonly string[];
  onChange: (ids: readonly string[]) => void;
  size?: 'xs' | 'sm';
}) => {
  const { list } = useLabels();
  const phone = usePhone();
  if (list.length === 0 && chosen.length === 0) return null;
  const label = chosen.length === 0 ? 'Labels' : `Labels ${chosen.length}`;
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <Popover position="bottom-end" width={260} trapFocus returnFocus withinPortal>
      <Popover.Target>
        {phone ? (
          <ActionIcon size={40} aria-label={label} data-on={chosen.length > 0 || undefined}>
            <Tag size={20} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        ) : (
          <Button size={size} leftSection={<Tag size={size === 'xs' ? 14 : 16} aria-hidden="true" />}>
            {label}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown aria-label="Labels">
        <div className={styles.list}>
          {list.map(({ id, name, color }) => (
            // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside
            <label key={id} className={styles.row}>
              <LabelDot color={color} />
              <span className={`one-line ${styles.name}`} dir="auto">
                {name}
              </span>
              <Checkbox checked={chosen.includes(id)} onChange={() => toggle(id)} />
            </label>
          ))}
        </div>
        {chosen.length > 0 && (
          <div className={styles.foot}>
            <Button size="xs" variant="quiet" onClick={() => onChange([])}>
              Show all
            </Button>
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
};
