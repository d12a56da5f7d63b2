import { Select, Textarea, TextInput } from '@mantine/core';
import { useLayoutEffect, useRef, useState } from 'react';
import type { ProviderLimits } from '#generated/app-client';
import { useZone } from '#web/base/session.ts';
import { instantOf, wallTime } from '#web/base/time.ts';
import { nameOfValue } from './option-value.ts';

type Option = ProviderLimits['options'][number];

interface Field {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly disabled: boolean;
}

/**
 * Whether the option's value is a text, a number, a time or a choice. Other options need the files of the post or a
 * search.
 */
export const isPlainOption = ({ type, searchable, unitMs }: Option) =>
  !searchable && unitMs === undefined && !['Media', 'Focus', 'Poll'].includes(type);

/** An empty field means the network's default. */
export const PlainOption = ({
  option,
  choices,
  value,
  fallback,
  onChange,
  ...fieldProps
}: Field & {
  option: Option;
  /** The account's choices, else those of the option. */
  choices: Option['choices'] | undefined;
  value: string;
  /** What applies when the field is empty. */
  fallback: string | undefined;
  onChange: (value: string) => void;
}) => {
  const isList = choices !== undefined && choices.length > 0;
  const focus = useKeptFocus(fieldProps.id, isList);
  const text = (change: object) => (
    <TextInput
      {...fieldProps}
      {...focus}
      dir="auto"
      value={value}
      placeholder={fallback ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...change}
    />
  );
  if (isList) {
    return <Chooser {...fieldProps} {...{ option, choices, value, fallback, onChange }} />;
  }
  switch (option.type) {
    case 'Boolean':
      return <Chooser {...fieldProps} choices={yesNo} {...{ option, value, fallback, onChange }} />;
    case 'Integer':
      return text({ type: 'number', min: 0, step: 1, inputMode: 'numeric' });
    case 'Url':
      return text({
        type: 'url',
        inputMode: 'url',
        placeholder: fallback ?? 'https://',
        error: value !== '' && !/^https?:\/\/./.test(value) ? 'Use a complete http or https address.' : undefined,
      });
    case 'List':
      return text({ placeholder: fallback ?? 'One, two, three' });
    case 'Instant':
      return <TimeField {...fieldProps} value={value} onChange={onChange} />;
    default:
      if (isLong(option)) {
        return (
          <Textarea
            {...fieldProps}
            dir="auto"
            autosize
            minRows={3}
            maxRows={10}
            maxLength={10_000}
            value={value}
            placeholder={fallback ?? ''}
            error={tooLong(option, value)}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        );
      }
      return text({ maxLength: 10_000, error: tooLong(option, value) });
  }
};

/** Keeps the focus when the account's choices arrive and a list replaces the text field. */
const useKeptFocus = (id: string, isList: boolean) => {
  const hasFocus = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when one takes the place of the other
  useLayoutEffect(() => {
    if (!hasFocus.current) return;
    hasFocus.current = false;
    document.getElementById(id)?.focus();
  }, [isList]);
  return {
    onFocus: () => {
      hasFocus.current = true;
    },
    onBlur: () => {
      hasFocus.current = false;
    },
  };
};

/** Long enough for paragraphs. */
const isLong = ({ maxLength = 0 }: Option) => maxLength >= 1_000;

const tooLong = ({ maxLength }: Option, value: string) =>
  maxLength !== undefined && [...value].length > maxLength ? `Use at most ${maxLength} characters.` : undefined;

const yesNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

const Chooser = ({
  option,
  choices,
  value,
  fallback,
  onChange,
  ...fieldProps
}: Field & {
  option: Option;
  choices: NonNullable<Option['choices']>;
  value: string;
  fallback: string | undefined;
  onChange: (value: string) => void;
}) => {
  const byDefault = choices.find((choice) => choice.value === fallback)?.label;
  // Keep showing a value that is no longer offered.
  const isKnown = value === '' || choices.some((choice) => choice.value === value);
  return (
    <Select
      {...fieldProps}
      data={[...choices, ...(isKnown ? [] : [{ value, label: nameOfValue(option, choices, value) }])]}
      value={value === '' ? null : value}
      placeholder={byDefault === undefined ? 'Choose' : `${byDefault} (default)`}
      searchable={choices.length > 12}
      clearable
      clearButtonProps={{ 'aria-label': 'Back to the default' }}
      comboboxProps={{ withinPortal: true }}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
};

/** A time in the person's zone, applied once it is complete. */
const TimeField = ({
  value,
  onChange,
  ...fieldProps
}: Field & {
  value: string;
  onChange: (value: string) => void;
}) => {
  const zone = useZone();
  const isInstant = !Number.isNaN(Date.parse(value));
  const [text, setText] = useState(isInstant ? wallTime(value, zone).slice(0, 16).replace(' ', 'T') : '');
  return (
    <TextInput
      {...fieldProps}
      type="datetime-local"
      value={text}
      description={zone}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(currentTarget.value === '' ? '' : instantOf(currentTarget.value, zone));
      }}
    />
  );
};
