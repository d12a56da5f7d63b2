import { ActionIcon } from '@mantine/core';
import { ArrowUp, FileText, Square, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Kbd } from '#web/parts/kbd.tsx';
import styles from './composer.module.css';

const mostCharacters = 20_000;

/** Enter sends, Shift+Enter starts a new line. Stop replaces Send while an answer streams. */
export const Composer = ({
  text,
  onText,
  sees,
  onHide,
  isWriting,
  onSend,
  onStop,
}: {
  text: string;
  onText: (text: string) => void;
  /** The page that is shared with the assistant; undefined if there is none or the person hid it. */
  sees: string | undefined;
  onHide: () => void;
  isWriting: boolean;
  onSend: () => void;
  onStop: () => void;
}) => {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!matchMedia('(hover: none)').matches) field.current?.focus({ preventScroll: true });
  }, []);
  const canSend = text.trim() !== '' && !isWriting;
  const send = () => {
    if (canSend) onSend();
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        className={styles.field}
        aria-label="Ask the assistant"
        placeholder="Ask, or tell it what to draft"
        rows={1}
        dir="auto"
        maxLength={mostCharacters}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isWriting) onStop();
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div className={styles.bar}>
        {sees !== undefined && (
          <span className={styles.sees}>
            <FileText size={14} aria-hidden="true" />
            <span className="one-line" dir="auto">
              Sees: {sees}
            </span>
            <button
              type="button"
              className={styles.hide}
              aria-label={`Do not show ${sees} to the assistant`}
              onClick={() => {
                onHide();
                field.current?.focus();
              }}
            >
              <X size={14} aria-hidden="true" />
            </button>
          </span>
        )}
        <span className={styles.end}>
          <span className={`kbd-hint desk-only small text-3 ${styles.hint}`} aria-hidden="true">
            <Kbd keys={isWriting ? 'Esc' : '↵'} /> {isWriting ? 'stop' : 'send'}
          </span>
          {isWriting ? (
            <ActionIcon variant="ink" size={34} aria-label="Stop" onClick={onStop}>
              <Square size={14} fill="currentColor" aria-hidden="true" />
            </ActionIcon>
          ) : (
            <ActionIcon
              variant="ink"
              size={34}
              type="submit"
              aria-label="Send"
              aria-disabled={!canSend}
              onClick={(event) => canSend || event.preventDefault()}
            >
              <ArrowUp size={18} aria-hidden="true" />
            </ActionIcon>
          )}
        </span>
      </div>
    </form>
  );
};
