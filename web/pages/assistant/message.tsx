import { Button } from '@mantine/core';
import { CircleStop, Scissors } from 'lucide-react';
import { memo } from 'react';
import { Banner } from '#web/parts/banner.tsx';
import { AnswerText } from './answer-text.tsx';
import { ApprovalRequest } from './approval-request.tsx';
import { cardsIn, type Message, noteIn, type UsedAction, usedAction } from './chat-messages.ts';
import styles from './message.module.css';
import { Numbers, summaryIn } from './numbers.tsx';
import { UsedActions } from './used-actions.tsx';

export const Question = ({ message }: { message: Message }) => (
  <div className={styles.question}>
    <h2 className="hidden">You</h2>
    <p dir="auto">{message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}</p>
  </div>
);

export const Answer = memo(({ message, onRetry }: { message: Message; onRetry: (() => void) | undefined }) => {
  const summary = summaryIn(message.parts.flatMap((part) => usedAction(part) ?? []));
  const note = noteIn(message);
  return (
    <div className={styles.answer}>
      <h2 className="hidden">Assistant</h2>
      {groupsOf(message).map((group, index) =>
        typeof group === 'string' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are only appended
          <AnswerText key={index} text={group} />
        ) : (
          <UsedActions key={group[0]?.id} actions={group} />
        ),
      )}
      {summary && <Numbers {...summary} />}
      {cardsIn(message).map((id) => (
        <ApprovalRequest key={id} id={id} />
      ))}
      {note?.kind === 'Failed' && (
        <Banner
          tone="red"
          title="No answer"
          action={
            onRetry && (
              <Button size="xs" onClick={onRetry}>
                Try again
              </Button>
            )
          }
        >
          {note.text}
        </Banner>
      )}
      {note && note.kind !== 'Failed' && (
        <p className={`small text-3 ${styles.note}`}>
          {note.kind === 'Stopped' ? (
            <CircleStop size={14} aria-hidden="true" />
          ) : (
            <Scissors size={14} aria-hidden="true" />
          )}
          {note.text}
        </p>
      )}
    </div>
  );
});

/** Texts, with consecutive tool calls grouped between them. */
const groupsOf = ({ parts }: Message): (string | UsedAction[])[] => {
  const groups: (string | UsedAction[])[] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    const action = usedAction(part);
    if (action && Array.isArray(last)) last.push(action);
    else if (action) groups.push([action]);
    else if (part.type === 'text' && part.text.trim() !== '') groups.push(part.text);
  }
  return groups;
};
