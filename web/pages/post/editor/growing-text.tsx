import { useLayoutEffect, useRef } from 'react';
import styles from './growing-text.module.css';

const growsByItself = CSS.supports('field-sizing', 'content');

/** A textarea that grows with its text. */
export const GrowingText = ({
  id,
  label,
  value,
  excessFrom,
  placeholder,
  readOnly,
  alone,
  autoFocus,
  onChange,
  onFiles,
}: {
  id: string;
  label: string;
  value: string;
  /** Index from which the text is over the limit; that part is marked. */
  excessFrom: number | undefined;
  placeholder: string;
  readOnly: boolean;
  /** Whether the post has a single item without media; the field is then taller. */
  alone: boolean;
  autoFocus: boolean;
  onChange: (value: string) => void;
  onFiles: (files: FileList) => void;
}) => {
  const field = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: recompute when the text changes
  useLayoutEffect(() => {
    if (growsByItself || !field.current) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [value]);
  return (
    <div className={styles.field}>
      {excessFrom !== undefined && (
        // A textarea cannot highlight part of its text, so a copy of the text lies behind it.
        <div className={styles.mirror} aria-hidden="true" dir="auto">
          {value.slice(0, excessFrom)}
          <mark className={styles.excess}>{value.slice(excessFrom)}</mark>
        </div>
      )}
      <textarea
        ref={field}
        id={id}
        className={styles.text}
        aria-label={label}
        dir="auto"
        rows={1}
        data-alone={alone || undefined}
        data-excess-from={excessFrom}
        maxLength={100_000}
        value={value}
        placeholder={placeholder}
        readOnly={readOnly}
        // biome-ignore lint/a11y/noAutofocus: people open a new post to write
        autoFocus={autoFocus}
        onChange={(event) => onChange(event.currentTarget.value)}
        onPaste={(event) => {
          const { files, types } = event.clipboardData;
          // Word processors also put an image of the text on the clipboard; paste the text.
          if (files.length === 0 || readOnly || types.includes('text/plain')) return;
          event.preventDefault();
          onFiles(files);
        }}
      />
    </div>
  );
};
