import { Button, TextInput } from '@mantine/core';
import { Bot, Check } from 'lucide-react';
import { useId } from 'react';
import type { ApprovalCard } from '#generated/app-client';
import { Kbd } from '#web/parts/kbd.tsx';
import { count } from '#web/parts/number.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import styles from './reason-form.module.css';

const reasons = ['Wrong fact', 'Not our voice', 'Too soon', 'Said it already', 'Wrong picture'];
const maxCharacters = 500;

/** Giving a reason is optional. */
export const ReasonForm = ({
  card: { id, client },
  isRunning,
  onReject,
  onCancel,
}: {
  card: ApprovalCard;
  isRunning: boolean;
  onReject: (reason: string | undefined) => void;
  onCancel: () => void;
}) => {
  const [chosen, setChosen] = useFormDraft<string | undefined>(`reason against ${id}`, undefined);
  const [words, setWords] = useFormDraft(`words against ${id}`, '');
  const noteId = useId();
  const reason = [chosen, words.trim()].filter(Boolean).join('. ');
  const excess = reason.length - maxCharacters;
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (excess <= 0 && !isRunning) onReject(reason || undefined);
  };
  return (
    <form
      className={styles.form}
      aria-label="Reject"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <div className="flow">
        {reasons.map((one) => (
          <button
            key={one}
            type="button"
            className={styles.chip}
            aria-pressed={chosen === one}
            onClick={() => setChosen(chosen === one ? undefined : one)}
          >
            {chosen === one && <Check size={14} aria-hidden="true" />}
            {one}
          </button>
        ))}
      </div>
      <TextInput
        aria-label="Reason"
        aria-describedby={noteId}
        placeholder="Why, in a few words (optional)"
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        error={excess > 0 && `${count(excess, 'character')} too many.`}
        autoComplete="off"
        data-autofocus
        autoFocus
      />
      <div className={styles.foot}>
        <p id={noteId} className={styles.note}>
          <Bot size={16} aria-hidden="true" />
          <span className={styles.words}>
            <bdi>{client}</bdi> reads this and may ask again.
          </span>
        </p>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button variant="danger" type="submit" loading={isRunning} rightSection={<Kbd keys="↵" />}>
          {reason ? 'Reject with this reason' : 'Reject'}
        </Button>
      </div>
    </form>
  );
};
