import { useQuery } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import type { Post } from '#generated/app-client';
import { queries } from '#web/base/queries.ts';
import { Mark } from '#web/parts/mark.tsx';
import { closeToast, showToast } from '#web/parts/toasts.tsx';
import styles from './board-toast.module.css';
import { describeRunning, tallyOf } from './summary.ts';
import { useSendOff } from './use-send-off.ts';
import { watchPost } from './watched.ts';

const toastIdOf = (postId: string) => `send-off ${postId}`;

const MarkIcon = (() => <Mark size={26} />) as unknown as LucideIcon;

const toastOf = (postId: string, stays: boolean) => ({
  id: toastIdOf(postId),
  icon: MarkIcon,
  text: <BoardToast postId={postId} />,
  action: { label: 'Open', link: { to: '/posts/$id', params: { id: postId } } as const },
  stays,
});

/** A compact send-off for people who left the page. It stays until all accounts have ended. */
export const showBoardToast = (postId: string) => showToast(toastOf(postId, true));
export const closeBoardToast = (postId: string) => closeToast(toastIdOf(postId));

const BoardToast = ({ postId }: { postId: string }) => {
  const { data: post } = useQuery(queries.post(postId));
  return post ? <Summary post={post} /> : 'A post is going out.';
};

const Summary = ({ post }: { post: Post }) => {
  const { rows } = useSendOff(post);
  const { all, out, failed, uncertain, running, ...tally } = tallyOf(rows);
  const hasEnded = post.status !== 'Publishing';
  useEffect(() => watchPost(post.id), [post.id]);
  useEffect(() => {
    if (hasEnded) showToast(toastOf(post.id, failed + uncertain > 0));
  }, [hasEnded, failed, uncertain, post.id]);
  const failedOn = rows.filter(({ state }) => state === 'Failed').map(({ provider }) => provider);
  const details = [
    ...(failed === 1 ? [`1 failed on ${failedOn[0]}.`] : failed > 1 ? [`${failed} failed.`] : []),
    ...(uncertain > 0 ? [`${uncertain} uncertain.`] : []),
    ...(running.length > 0 ? [describeRunning({ all, out, failed, uncertain, running, ...tally })] : []),
  ];
  return (
    <span className={styles.summary}>
      <b>
        Out on {out} of {all}
      </b>
      {details.length > 0 && <span>{details.join(' ')}</span>}
      <span className={styles.bar} aria-hidden="true">
        {rows.map(({ accountId, state }) => (
          <span key={accountId} data-state={state} />
        ))}
      </span>
    </span>
  );
};
