import { ActionIcon, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Comment } from '#generated/app-client';
import { escapeRegExp } from '#server/base/escape-reg-exp';
import { app } from '#web/base/api.ts';
import { Avatar } from '#web/parts/avatar.tsx';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { When } from '#web/parts/when.tsx';
import { EditComment, newCommentId } from './comment-form.tsx';
import styles from './comments.module.css';

/** Updates the cached comments. */
type Put = (change: (comments: Comment[]) => Comment[]) => void;

export const CommentRow = ({ comment, put }: { comment: Comment; put: Put }) => {
  const { id, author, body, mentions, createdAt, editedAt, mayEdit, mayDelete } = comment;
  const [isEditing, setIsEditing] = useFormDraft(`change of ${id}`, false);
  const [isDeleting, setIsDeleting] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const edit = useMutation({
    mutationFn: (text: string) => app.editComment({ id, body: text }),
    onSuccess: (changed) => {
      put((comments) => comments.map((one) => (one.id === id ? changed : one)));
      close();
    },
  });
  const close = () => {
    setIsEditing(false);
    setTimeout(() => editButton.current?.focus());
  };
  const remove = async () => {
    await app.deleteComment({ id });
    put((comments) => comments.filter((one) => one.id !== id));
    setTimeout(() => document.getElementById(newCommentId)?.focus());
  };
  return (
    <li className={styles.comment}>
      <Avatar name={author.name} size={26} />
      <div className="grow">
        <p className={styles.head}>
          <b className="one-line" dir="auto">
            {author.name}
          </b>
          <span className="caption text-3">
            <When at={createdAt} />
            {editedAt && ', edited'}
          </span>
          <span className={styles.acts}>
            {mayEdit && (
              <Tooltip label="Edit">
                <ActionIcon
                  ref={editButton}
                  size={24}
                  aria-label="Edit comment"
                  onClick={() => setIsEditing(!isEditing)}
                >
                  <Pencil size={13} aria-hidden="true" />
                </ActionIcon>
              </Tooltip>
            )}
            {mayDelete && (
              <Tooltip label="Delete">
                <ActionIcon size={24} aria-label="Delete comment" onClick={() => setIsDeleting(true)}>
                  <Trash2 size={13} aria-hidden="true" />
                </ActionIcon>
              </Tooltip>
            )}
          </span>
        </p>
        {isEditing ? (
          <EditComment comment={comment} onSend={(text) => edit.mutateAsync(text)} onCancel={close} />
        ) : (
          <p className="as-typed" dir="auto">
            <WithMentions text={body} names={mentions.map(({ name }) => name)} />
          </p>
        )}
      </div>
      <ConfirmDialog
        opened={isDeleting}
        onClose={() => setIsDeleting(false)}
        title="Delete this comment?"
        act="Delete comment"
        kind="danger"
        onConfirm={remove}
      >
        It cannot be brought back.
      </ConfirmDialog>
    </li>
  );
};

const WithMentions = ({ text, names }: { text: string; names: readonly string[] }) => {
  if (names.length === 0) return text;
  const longestFirst = [...names].sort((a, b) => b.length - a.length).map((name) => escapeRegExp(name));
  const mention = new RegExp(`(@(?:${longestFirst.join('|')})(?![\\p{L}\\p{N}]))`, 'giu');
  return text.split(mention).map((piece, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no id and never reorder
      <b key={index} className={styles.mention}>
        {piece}
      </b>
    ) : (
      piece
    ),
  );
};
