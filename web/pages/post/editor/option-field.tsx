import { Select, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { instantOf, wallTime } from '#web/parts/time.ts';
import { useZone } from '#web/session.ts';
import { FocusField } from './focus-field.tsx';
import type { Option } from './limits.ts';
import { MediaOption } from './media-option.tsx';
import { MomentField } from './moment-field.tsx';
import styles from './options-card.module.css';
import { PollField } from './poll-field.tsx';
import { fields } from './use-reveal.ts';

/** An empty field means the network's default. */
export const OptionField = ({
  option,
  choices,
  value,
  inherited,
  disabled,
  readOnly,
  onChange,
}: {
  option: Option;
  /** The account's choices, else those of the option. */
  choices: Option['choices'] | undefined;
  value: string;
  /** Value of the original, for the version of an account. */
  inherited: string | undefined;
  /** Why it cannot be switched on; what is on already can be switched off. */
  disabled: string | undefined;
  readOnly: boolean;
  onChange: (value: string) => void;
}) => {
  const { key, label, required } = option;
  // A moment is shown as a frame, so its unit is of no use to a person.
  const isSelfExplaining = choices !== option.choices || option.unitMs !== undefined;
  const help = disabled ?? (isSelfExplaining ? undefined : option.description);
  const id = fields.option(key);
  return (
    <div className={styles.row}>
      <label htmlFor={id} className={styles.label}>
        {label}
        {required && !value && !inherited && <span className={styles.needed}> (needed)</span>}
      </label>
      <div>
        <Input
          id={id}
          option={option}
          hasHelp={help !== undefined}
          choices={choices}
          value={value}
          fallback={inherited || option.default}
          readOnly={readOnly || (disabled !== undefined && value !== 'true')}
          onChange={onChange}
        />
        {help && (
          <p id={`${id}-help`} className={styles.help}>
            <WithCode text={help} />
          </p>
        )}
      </div>
    </div>
  );
};

/** Renders text in backticks as code. */
const WithCode = ({ text }: { text: string }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no id and never reorder
  text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));

const Input = ({
  id,
  option,
  hasHelp,
  choices,
  value,
  fallback,
  readOnly,
  onChange,
}: {
  id: string;
  option: Option;
  hasHelp: boolean;
  choices: Option['choices'] | undefined;
  value: string;
  /** What applies when the field is empty. */
  fallback: string | undefined;
  readOnly: boolean;
  onChange: (value: string) => void;
}) => {
  const fieldProps = { id, 'aria-describedby': hasHelp ? `${id}-help` : undefined, disabled: readOnly };
  const text = (change: object) => (
    <TextInput
      {...fieldProps}
      dir="auto"
      value={value}
      placeholder={fallback ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...change}
    />
  );
  if (choices && choices.length > 0) {
    return <Chooser {...fieldProps} choices={choices} value={value} fallback={fallback} onChange={onChange} />;
  }
  switch (option.type) {
    case 'Boolean':
      return <Chooser {...fieldProps} choices={yesNo} value={value} fallback={fallback} onChange={onChange} />;
    case 'Integer':
      if (option.unitMs !== undefined) {
        return <MomentField {...fieldProps} option={option} value={value} fallback={fallback} onChange={onChange} />;
      }
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
    case 'Media':
      return <MediaOption {...fieldProps} option={option} value={value} fallback={fallback} onChange={onChange} />;
    case 'Instant':
      return <TimeField {...fieldProps} value={value} onChange={onChange} />;
    case 'Focus':
      return <FocusField {...fieldProps} value={value} fallback={fallback} onChange={onChange} />;
    case 'Poll':
      return option.poll ? (
        <PollField {...fieldProps} limits={option.poll} value={value} inherited={fallback} onChange={onChange} />
      ) : null;
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

/** Long enough for paragraphs. */
const isLong = ({ maxLength = 0 }: Option) => maxLength >= 1_000;

const tooLong = ({ maxLength }: Option, value: string) =>
  maxLength !== undefined && [...value].length > maxLength ? `Use at most ${maxLength} characters.` : undefined;

const yesNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

const Chooser = ({
  choices,
  value,
  fallback,
  onChange,
  ...fieldProps
}: {
  id: string;
  disabled: boolean;
  choices: readonly { value: string; label: string }[];
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
      data={[...choices, ...(isKnown ? [] : [{ value, label: value }])]}
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
}: {
  id: string;
  disabled: boolean;
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
