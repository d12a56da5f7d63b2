import { ActionIcon, Button, type ButtonProps, Checkbox, Popover } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import styles from './filter-popover.module.css';
import { useIsPhone } from './use-is-phone.ts';

interface Choice {
  readonly id: string;
  readonly name: string;
  /** Its badge or dot. */
  readonly mark: React.ReactNode;
}

/** No choice means all. */
export const FilterPopover = ({
  name,
  label,
  icon: Icon,
  lead,
  size = 'sm',
  choices,
  nothing,
  chosen,
  onChange,
}: {
  /** `Accounts` */
  name: string;
  /** Button label while nothing is chosen. */
  label?: string;
  icon: LucideIcon;
  /** Replaces the icon of the button. */
  lead?: React.ReactNode;
  size?: NonNullable<ButtonProps['size']>;
  choices: readonly Choice[];
  /** Shown when there are no choices. */
  nothing?: string;
  chosen: readonly string[];
  onChange: (ids: readonly string[]) => void;
}) => {
  const isPhone = useIsPhone();
  const words = chosen.length === 0 ? (label ?? name) : `${name} ${chosen.length}`;
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <Popover position="bottom-end" width={280} trapFocus returnFocus withinPortal>
      <Popover.Target>
        {isPhone ? (
          <ActionIcon size={40} aria-label={words} data-on={chosen.length > 0 || undefined}>
            <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        ) : (
          <Button size={size} leftSection={lead ?? <Icon size={15} aria-hidden="true" />}>
            {words}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown aria-label={name}>
        <div className={styles.list}>
          {choices.map((choice) => (
            // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside
            <label key={choice.id} className={styles.row}>
              {choice.mark}
              <span className={`one-line ${styles.name}`} dir="auto">
                {choice.name}
              </span>
              <Checkbox checked={chosen.includes(choice.id)} onChange={() => toggle(choice.id)} />
            </label>
          ))}
          {choices.length === 0 && nothing && <p className="small text-2">{nothing}</p>}
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
