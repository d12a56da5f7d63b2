import { isIdOption } from '#web/parts/option-value.ts';
import { isPlainOption, PlainOption } from '#web/parts/plain-option.tsx';
import { Skeleton } from '#web/parts/skeleton-rows.tsx';
import { FocusField } from './focus-field.tsx';
import type { Option } from './limits.ts';
import { LookupField } from './lookup-field.tsx';
import { MediaOption } from './media-option.tsx';
import { MomentField } from './moment-field.tsx';
import styles from './options-card.module.css';
import { PollField } from './poll-field.tsx';
import { useEditor } from './use-editor.ts';
import { fields } from './use-reveal.ts';

/** An empty field means the network's default. */
export const OptionField = ({
  accountId,
  option,
  choices,
  value,
  inherited,
  disabled,
  readOnly,
  onChange,
}: {
  /** The account whose network is searched for values. */
  accountId: string;
  option: Option;
  /** The account's choices, else those of the option. */
  choices: Option['choices'] | undefined;
  value: string;
  /** The original's value, which an account's version inherits. */
  inherited: string | undefined;
  /** Why it cannot be switched on. If it is already on, it can still be switched off. */
  disabled: string | undefined;
  readOnly: boolean;
  onChange: (value: string) => void;
}) => {
  const { key, label, required } = option;
  // A moment is shown as a frame, so its unit is of no use to a person.
  const isSelfExplaining = !option.searchable && (choices !== option.choices || option.unitMs !== undefined);
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
          accountId={accountId}
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
  accountId,
  option,
  hasHelp,
  choices,
  value,
  fallback,
  readOnly,
  onChange,
}: {
  id: string;
  accountId: string;
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
  const { areChoicesLoading } = useEditor();
  if (areChoicesLoading && value !== '' && isIdOption(option)) return <Skeleton width="100%" height={36} />;
  if (option.searchable) {
    return (
      <LookupField
        {...fieldProps}
        accountId={accountId}
        option={option}
        names={choices}
        value={value}
        inherited={fallback}
        onChange={onChange}
      />
    );
  }
  if (isPlainOption(option) || (choices && choices.length > 0)) {
    const plain = { option, choices, value, fallback, onChange };
    return <PlainOption {...fieldProps} {...plain} />;
  }
  switch (option.type) {
    case 'Integer':
      return <MomentField {...fieldProps} option={option} value={value} fallback={fallback} onChange={onChange} />;
    case 'Media':
      return <MediaOption {...fieldProps} option={option} value={value} fallback={fallback} onChange={onChange} />;
    case 'Focus':
      return <FocusField {...fieldProps} value={value} fallback={fallback} onChange={onChange} />;
    default:
      return option.poll ? (
        <PollField {...fieldProps} limits={option.poll} value={value} inherited={fallback} onChange={onChange} />
      ) : null;
  }
};
