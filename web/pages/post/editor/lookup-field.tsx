import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { app } from '#web/base/api.ts';
import { faultOf } from '#web/base/faults.ts';
import { count } from '#web/parts/number.ts';
import { nameOfValue } from '#web/parts/option-value.ts';
import type { Choice, Option } from './limits.ts';
import styles from './lookup-field.module.css';
import { useEditor } from './use-editor.ts';

/** For values that only the network knows: people search by name. An id can be typed, too. */
export const LookupField = ({
  id,
  accountId,
  option,
  names = [],
  value,
  inherited,
  disabled,
  onChange,
  ...described
}: {
  id: string;
  accountId: string;
  option: Option;
  /** Names of values that were found before. */
  names: readonly Choice[] | undefined;
  value: string;
  inherited: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
  'aria-describedby': string | undefined;
}) => {
  const [words, setWords] = useState('');
  const { rememberChoice } = useEditor();
  const root = useRef<HTMLDivElement>(null);
  const shouldFocus = useRef(false);
  // Choosing or removing a value replaces the focused control, so focus the new one.
  useEffect(() => {
    if (shouldFocus.current) root.current?.querySelector<HTMLElement>('input, button')?.focus();
    shouldFocus.current = false;
  });
  const { mutate, reset, data, error, isPending } = useMutation({
    mutationFn: () => app.findChoices({ id: accountId, option: option.key, words }),
  });
  const nameOf = (one: string) => nameOfValue(option, names, one);
  const choose = (choice: Choice | undefined) => {
    shouldFocus.current = true;
    if (choice && choice.label !== labelOfId(choice.value)) rememberChoice(option.key, choice);
    setWords('');
    reset();
    onChange(choice?.value ?? '');
  };
  if (value !== '') {
    return (
      <div ref={root} className={styles.chosen}>
        <span dir="auto">{nameOf(value)}</span>
        <Button
          id={id}
          variant="default"
          size="xs"
          disabled={disabled}
          aria-label={`Remove ${option.label}: ${nameOf(value)}`}
          onClick={() => choose(undefined)}
          {...described}
        >
          Remove
        </Button>
      </div>
    );
  }
  const typedId = /^\s*(\d+)\s*$/.exec(words)?.[1];
  const choices = [
    ...(typedId !== undefined && data ? [{ value: typedId, label: labelOfId(typedId) }] : []),
    ...(data?.choices ?? []),
  ];
  const problem = error ? faultOf(error).message : data?.problem;
  return (
    <div ref={root}>
      <div className={styles.search}>
        <TextInput
          {...described}
          id={id}
          className="grow"
          dir="auto"
          maxLength={100}
          value={words}
          disabled={disabled}
          placeholder={inherited ? nameOf(inherited) : 'Search by name'}
          onChange={(event) => {
            setWords(event.currentTarget.value);
            reset();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            mutate();
          }}
        />
        <Button
          variant="default"
          leftSection={<Search size={14} aria-hidden="true" />}
          aria-label={`Search for ${option.label.toLowerCase()}`}
          loading={isPending}
          disabled={disabled}
          onClick={() => mutate()}
        >
          Search
        </Button>
      </div>
      <p role="status" className={styles.status} data-problem={problem !== undefined || undefined}>
        {problem ?? (data && resultOf(data.choices.length, words))}
      </p>
      {choices.length > 0 && (
        <ul className={styles.choices} aria-label={`Found for ${option.label.toLowerCase()}`}>
          {choices.map((choice) => (
            <li key={`${choice.value} ${choice.label}`} className="divided">
              <button type="button" dir="auto" className={styles.choice} onClick={() => choose(choice)}>
                {choice.label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const labelOfId = (id: string) => `Use the id ${id}`;

const resultOf = (found: number, words: string) => {
  if (found > 0) return `${count(found, 'result')}. Choose one.`;
  return words.trim() === '' ? 'Type a name, then search.' : 'Nothing found. Try other words.';
};
