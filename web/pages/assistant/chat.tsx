import { useCallback, useEffect, useRef, useState } from 'react';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import styles from './assistant.module.css';
import type { Message } from './chat-messages.ts';
import { Composer } from './composer.tsx';
import { Answer, Question } from './message.tsx';
import { Suggestions } from './suggestions.tsx';
import { useAnswerScroll } from './use-answer-scroll.ts';
import { useAssistant } from './use-assistant.ts';
import { useSees } from './use-sees.ts';

export const Chat = ({
  chatId,
  before,
  model,
  onBegun,
}: {
  chatId: string | undefined;
  /** Earlier messages of the chat. */
  before: Message[];
  model: string | undefined;
  onBegun: (chatId: string) => void;
}) => {
  // Pages that link here can write the question.
  const [{ ask: question = '' }] = usePageSearch<'ask'>();
  const [unanswered, setUnanswered] = useFormDraft('question without an answer', '');
  const [first] = useState(unanswered || question);
  const [text, setText] = useFormDraft('question', first);
  const sees = useSees();
  const { messages, status, isWriting, error, ask, stop, setMessages, clearError } = useAssistant({
    chatId,
    messages: before,
    onBegun,
  });
  const end = useRef<HTMLDivElement>(null);
  useAnswerScroll(end, messages);

  const send = (words: string) => {
    if (isWriting) return;
    setUnanswered(words);
    setText('');
    void ask(words, sees.may);
  };
  // The server did not store the question, so it goes back into the field.
  useEffect(() => {
    if (error === undefined) return;
    setMessages((all) => (all.at(-1)?.role === 'user' ? all.slice(0, -1) : all));
    setText((now) => now || unanswered);
  }, [error, unanswered, setMessages, setText]);
  // The server has the question.
  useEffect(() => {
    if (status === 'streaming') setUnanswered('');
  }, [status, setUnanswered]);
  const write = useCallback(
    (words: string) => {
      clearError();
      setText(words);
    },
    [clearError, setText],
  );

  const last = messages.at(-1);
  const retry = () => {
    const question = messages.findLast(({ role }) => role === 'user');
    send(question?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '');
  };
  return (
    <div className={styles.chat}>
      <div className={styles.messages} role="log" aria-label="Chat" aria-live="polite" aria-busy={isWriting}>
        {messages.length === 0 && <Suggestions model={model} onChoose={(words) => send(words)} />}
        {messages.map((message) =>
          message.role === 'user' ? (
            <Question key={message.id} message={message} />
          ) : (
            <Answer key={message.id} message={message} onRetry={message === last && !isWriting ? retry : undefined} />
          ),
        )}
        {isWriting && isSilent(last) && <p className="text-3">Looking…</p>}
        <div ref={end} />
      </div>
      <div className={styles.foot}>
        {error && <FaultBanner fault={error} title="No answer" />}
        <Composer
          text={text}
          onText={write}
          sees={sees.label}
          onHide={sees.hide}
          isWriting={isWriting}
          onSend={() => send(text.trim())}
          onStop={() => void stop()}
        />
      </div>
    </div>
  );
};

const isSilent = (message: Message | undefined) =>
  message === undefined ||
  message.role === 'user' ||
  !message.parts.some(({ type }) => type === 'text' || type.startsWith('tool-'));
