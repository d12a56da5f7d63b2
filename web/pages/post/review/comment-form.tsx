import { Button, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Dispatch, type RefObject, type SetStateAction, useEffect, useRef, useState } from 'react';
import type { Comment } from '#generated/app-client';
import { describeFailure } from '#web/base/faults.ts';
import { queries } from '#web/base/queries.ts';
import { nameOf } from '#web/base/session.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { removeCommentDraft, useCommentDraft } from './comment-draft.ts';
import styles from './comments.module.css';

export const newCommentId = 'new-comment';

const maxCharacters = 2000;
const maxNames = 5;

/** Its text is kept in this browser until it is sent. */
export const NewComment = ({ postId, onSend }: { postId: string; onSend: (body: string) => Promise<unknown> }) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useCommentDraft(postId, field);
  const send = async (body: string) => {
    await onSend(body);
    removeCommentDraft(postId, body);
  };
  return <CommentForm label="Comment" act="Comment" draft={draft} field={field} onSend={send} />;
};

export const EditComment = ({
  comment: { id, body },
  onSend,
  onCancel,
}: {
  comment: Comment;
  onSend: (body: string) => Promise<unknown>;
  onCancel: () => void;
}) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useFormDraft(`text of ${id}`, body);
  return (
    <CommentForm label="Edit comment" act="Save" draft={draft} field={field} onSend={onSend} onCancel={onCancel} />
  );
};

/** Suggests members after an @; ⌘↵ sends. */
const CommentForm = ({
  label,
  act,
  draft: [body, setBody],
  field,
  onSend,
  onCancel,
}: {
  label: string;
  /** Label of the button. */
  act: string;
  draft: readonly [body: string, setBody: Dispatch<SetStateAction<string>>];
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: (body: string) => Promise<unknown>;
  onCancel?: () => void;
}) => {
  const [caret, setCaret] = useState(0);
  const [running, setRunning] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const names = useNames(body.slice(0, caret));
  const size = useIsPhone() ? 'xl' : 'xs';
  const isEdit = onCancel !== undefined;
  useEffect(() => {
    if (isEdit) field.current?.focus();
  }, [isEdit, field]);

  const send = async () => {
    if (body.trim() === '' || running) return;
    setRunning(true);
    setFault(undefined);
    try {
      await onSend(body);
      // The person may have typed on.
      setBody((current) => (current === body ? '' : current));
    } catch (error) {
      setFault(error);
    } finally {
      setRunning(false);
    }
  };

  const mention = (name: string) => {
    const start = body.slice(0, caret).replace(/@[^@\n]*$/, `@${name} `);
    setBody(start + body.slice(caret));
    setCaret(start.length);
    setTimeout(() => {
      field.current?.focus();
      field.current?.setSelectionRange(start.length, start.length);
    });
  };

  const updateBody = ({ currentTarget }: React.SyntheticEvent<HTMLTextAreaElement>) => {
    setBody(currentTarget.value);
    setCaret(currentTarget.selectionStart);
  };

  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Textarea
        ref={field}
        id={isEdit ? undefined : newCommentId}
        aria-label={label}
        placeholder="Say what you think. @ mentions a member."
        autosize
        minRows={2}
        maxRows={10}
        maxLength={maxCharacters}
        value={body}
        error={fault === undefined ? undefined : describeFailure(fault)}
        onChange={updateBody}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        // Escape ends the edit without also closing the sheet on a phone.
        data-mantine-stop-propagation={isEdit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault();
            event.stopPropagation();
            void send();
          }
          if (event.key === 'Escape') onCancel?.();
        }}
      />
      {names.length > 0 && (
        <fieldset className={styles.names} aria-label="Members to mention">
          {names.map((name) => (
            <button key={name} type="button" className={styles.name} onClick={() => mention(name)}>
              @{name}
            </button>
          ))}
        </fieldset>
      )}
      <div className="buttons">
        {onCancel && (
          <Button size={size} variant="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" size={size} variant="ink" loading={running} disabled={body.trim() === ''}>
          {act}
        </Button>
      </div>
    </form>
  );
};

/** Members whose names start with the text after the last @. */
const useNames = (before: string) => {
  const prefix = /(?:^|[^\p{L}\p{N}])@([^@\n]{0,60})$/u.exec(before)?.[1]?.toLowerCase();
  const { data } = useQuery({ ...queries.members, enabled: prefix !== undefined });
  if (prefix === undefined) return [];
  const names = new Set(data?.members.map((member) => nameOf(member)));
  return [...names].filter((name) => name.toLowerCase().startsWith(prefix)).slice(0, maxNames);
};
