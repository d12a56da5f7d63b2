import { ActionIcon, Button, Select, Switch, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { type Poll, readPoll } from '#server/networks/poll';
import { formatDuration } from '#web/parts/extras.ts';
import type { Option } from './limits.ts';
import styles from './poll-field.module.css';

type Limits = NonNullable<Option['poll']>;

const usualMinutes = [5, 30, 60, 360, 720, 1_440, 4_320, 10_080, 20_160, 43_200];
const dayMinutes = 1_440;

export const PollField = ({
  id,
  limits,
  value,
  inherited,
  disabled,
  onChange,
  ...described
}: {
  id: string;
  limits: Limits;
  value: string;
  /** The original's poll, which an account's version inherits. */
  inherited: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
  'aria-describedby': string | undefined;
}) => {
  const poll = readPoll(value);
  const list = useRef<HTMLUListElement>(null);
  const focused = useRef<number>(undefined);
  useEffect(() => {
    if (focused.current === undefined) return;
    const field = list.current?.querySelectorAll('input')[focused.current];
    // An unrelated render may come before the new choice is on the page; try again after the next one.
    if (field === undefined) return;
    field.focus();
    focused.current = undefined;
  });
  const change = (next: Partial<Poll>, focus?: number) => {
    focused.current = focus;
    onChange(JSON.stringify({ ...(poll ?? emptyPoll(limits)), ...next }));
  };
  if (poll === undefined) {
    const before = readPoll(inherited ?? '');
    return (
      <>
        <Button
          id={id}
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden="true" />}
          aria-label={before ? 'Write another poll' : 'Add a poll'}
          disabled={disabled}
          onClick={() => change(before ?? {}, 0)}
          {...described}
        >
          {before ? 'Write another poll' : 'Add a poll'}
        </Button>
        {before && <p className={styles.before}>As in the original: {before.choices.join(', ')}</p>}
      </>
    );
  }
  const { choices, durationMinutes, multiple, hideTotals } = poll;
  const { minDurationMinutes: least, maxDurationMinutes: most } = limits;
  const minutes = [...new Set([...usualMinutes.filter((one) => one >= least && one <= most), durationMinutes])];
  const add = () => change({ choices: [...choices, ''] }, choices.length);
  const hasRoom = choices.length < limits.maxChoices;
  return (
    <div className={styles.poll}>
      <ul ref={list} className={styles.choices}>
        {choices.map((choice, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: choices have no id
          <li key={index} className={styles.choice}>
            <TextInput
              id={index === 0 ? id : `${id}-${index}`}
              className="grow"
              dir="auto"
              aria-label={`Choice ${index + 1}`}
              placeholder={`Choice ${index + 1}`}
              value={choice}
              disabled={disabled}
              error={
                choice.trim().length > limits.maxChoiceLength && `Use at most ${limits.maxChoiceLength} characters.`
              }
              onChange={({ currentTarget }) =>
                change({ choices: choices.map((one, at) => (at === index ? currentTarget.value : one)) })
              }
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.nativeEvent.isComposing || !hasRoom) return;
                event.preventDefault();
                add();
              }}
              {...(index === 0 && described)}
            />
            {choices.length > limits.minChoices && (
              <ActionIcon
                size={34}
                aria-label={`Remove choice ${index + 1}`}
                disabled={disabled}
                onClick={() => change({ choices: choices.filter((_, at) => at !== index) }, Math.max(0, index - 1))}
              >
                <X size={16} aria-hidden="true" />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      {hasRoom && (
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden="true" />}
          disabled={disabled}
          onClick={add}
        >
          Add a choice
        </Button>
      )}
      {least === most && durationMinutes === least ? (
        <p className="small text-2">Runs for {formatDuration(least)}</p>
      ) : (
        <Select
          label="Runs for"
          data={minutes
            .sort((one, other) => one - other)
            .map((one) => ({ value: `${one}`, label: formatDuration(one) }))}
          value={`${durationMinutes}`}
          allowDeselect={false}
          disabled={disabled}
          comboboxProps={{ withinPortal: true }}
          onChange={(chosen) => change({ durationMinutes: Number(chosen) })}
        />
      )}
      {(limits.multiple || multiple) && (
        <Switch
          label="Several answers"
          checked={multiple}
          disabled={disabled}
          onChange={({ currentTarget }) => change({ multiple: currentTarget.checked })}
        />
      )}
      {(limits.hideTotals || hideTotals) && (
        <Switch
          label="Hide the numbers until the end"
          checked={hideTotals}
          disabled={disabled}
          onChange={({ currentTarget }) => change({ hideTotals: currentTarget.checked })}
        />
      )}
      <Button variant="danger" size="xs" disabled={disabled} onClick={() => onChange('')}>
        Remove the poll
      </Button>
    </div>
  );
};

const emptyPoll = ({ minChoices, minDurationMinutes, maxDurationMinutes }: Limits): Poll => ({
  choices: Array.from({ length: minChoices }, () => ''),
  durationMinutes: Math.min(Math.max(dayMinutes, minDurationMinutes), maxDurationMinutes),
  multiple: false,
  hideTotals: false,
});
