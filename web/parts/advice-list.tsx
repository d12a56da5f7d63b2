import { ActionIcon, Tooltip } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { MessageSquare, PencilLine, ThumbsUp, Trash2 } from 'lucide-react';
import type { Advice } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { describeFailure } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import styles from './advice-list.module.css';
import { showToast } from './toasts.tsx';
import { When } from './when.tsx';

const looks = {
  Fine: { icon: ThumbsUp, words: 'Fine by me' },
  Change: { icon: PencilLine, words: 'Please change' },
  Comment: { icon: MessageSquare, words: 'Comment' },
};

/** What people without an account said on review links. Nobody has verified their names. */
export const AdviceList = ({ postId }: { postId: string }) => {
  const { data } = useQuery({
    queryKey: keys.advice(postId),
    queryFn: ({ signal }) => app.listAdvice({ id: postId }, { signal }),
  });
  if (data === undefined || data.advice.length === 0) return null;
  return (
    <section className={styles.section} aria-label="From review links">
      <p className={styles.title}>From review links</p>
      <p className="caption text-3">Advice of people without an account. Nobody checked their names.</p>
      <ul className={styles.list}>
        {data.advice.map((advice) => (
          <AdviceRow key={advice.id} advice={advice} postId={postId} />
        ))}
      </ul>
    </section>
  );
};

const AdviceRow = ({ advice, postId }: { advice: Advice; postId: string }) => {
  const { canManage } = usePermissions();
  const client = useQueryClient();
  const { icon: Icon, words } = looks[advice.verdict];
  const remove = async () => {
    try {
      await app.deleteAdvice({ id: advice.id });
    } catch (error) {
      showToast({ text: describeFailure(error, 'Not deleted.'), tone: 'red', stays: true });
    }
    await client.invalidateQueries({ queryKey: keys.advice(postId) });
  };
  return (
    <li className={styles.row}>
      <Icon size={16} aria-hidden="true" className={styles.icon} data-verdict={advice.verdict} />
      <div className="grow">
        <p className={styles.head}>
          <b>{words}</b>
          <span>
            “<bdi dir="auto">{advice.name}</bdi>” <span className="caption text-3">(name not verified)</span>
          </span>
          <span className="caption text-3">
            <When at={advice.createdAt} />
            {!advice.isCurrent && ', before the last change'}
          </span>
        </p>
        {advice.body && (
          <p className="as-typed" dir="auto">
            {advice.body}
          </p>
        )}
      </div>
      {canManage && (
        <Tooltip label="Delete">
          <ActionIcon size={24} aria-label={`Delete the advice of ${advice.name}`} onClick={() => void remove()}>
            <Trash2 size={13} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      )}
    </li>
  );
};
