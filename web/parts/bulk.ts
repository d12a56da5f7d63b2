import { type LucideIcon, Stamp } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { BulkResult, ChangePostsInput, SelectedPost } from '#generated/app-client';
import { isPosthornError } from '#generated/app-client';
import { keepaliveApp } from '#web/base/api.ts';
import { describeFailure, isRetryable } from '#web/base/faults.ts';
import { formatNumber, count as quantity } from './number.ts';
import { closeToast, showToast } from './toasts.tsx';

export type BulkPost = Pick<SelectedPost, 'id' | 'text'>;

export interface BulkFailure {
  readonly post: BulkPost;
  readonly message: string;
}

interface BulkWork {
  readonly change: ChangePostsInput['change'];
  readonly posts: readonly BulkPost[];
  /** Move and Schedule: the time of each post. */
  readonly times?: ReadonlyMap<string, string>;
  readonly accountId?: string;
  /** `Deleting`: shown with the progress. */
  readonly doing: string;
  /** Undefined: no toast when all went well. */
  readonly doneText: (number: number) => string | undefined;
  /** `not deleted`: follows the number of failures. */
  readonly notDone: string;
  readonly icon: LucideIcon;
  readonly onUndo?: (done: readonly string[]) => unknown;
}

export interface BulkOutcome {
  readonly done: readonly string[];
  readonly failures: readonly BulkFailure[];
}

const batchSize = 100;
/** The request is idempotent, so retries are safe and bridge a short loss of the connection. */
const maxRetries = 6;

let failed: { readonly title: string; readonly failures: readonly BulkFailure[] } | undefined;
const listeners = new Set<() => void>();
const setFailed = (next: typeof failed) => {
  failed = next;
  for (const listener of listeners) listener();
};

/** The posts on which the last bulk change failed, with the reasons. */
export const useBulkFailures = () => {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => failed,
  );
  return { ...current, clear: () => setFailed(undefined) };
};

/** Changes post after post on the server, and reports the progress and the outcome in a toast. */
export const runBulk = async (work: BulkWork): Promise<BulkOutcome> => {
  const { posts, doing, doneText, notDone, icon, onUndo } = work;
  const toastId = `bulk ${work.change} ${posts[0]?.id}`;
  let isStopped = false;
  const done: string[] = [];
  const failures: BulkFailure[] = [];
  const requests: string[] = [];
  const showDone = (number: number) => {
    const text = doneText(number);
    if (text === undefined || number === 0) return;
    const undo = onUndo && { action: { label: 'Undo', onClick: () => void onUndo(done) } };
    showToast({ id: toastId, text, icon, ...undo });
  };
  let pending = posts;
  while (pending.length > 0 && !isStopped) {
    if (posts.length > batchSize) {
      const text = `${doing} ${formatNumber(posts.length - pending.length)} of ${formatNumber(posts.length)}`;
      const stop = { label: 'Stop', onClick: () => (isStopped = true) };
      showToast({ id: toastId, text, icon, stays: true, action: stop });
    }
    const batch = pending.slice(0, batchSize);
    const results = await send(work, batch);
    for (const { id, message = '', done: isDone, asked } of results) {
      const post = batch.find((one) => one.id === id);
      if (isDone) done.push(id);
      else if (asked) requests.push(message);
      else if (post) failures.push({ post, message });
    }
    const reached = new Set(results.map(({ id }) => id));
    pending = pending.filter(({ id }) => !reached.has(id));
  }
  closeToast(toastId);
  if (requests.length > 0) {
    const text = requests.length === 1 ? requests[0] : `${quantity(requests.length, 'request')}. ${requests[0]}`;
    showToast({ id: `${toastId} requests`, text: text ?? '', icon: Stamp, tone: 'brass' });
  }
  showDone(done.length);
  if (failures.length > 0) {
    const [only] = failures;
    const title = `${quantity(failures.length, 'post')} ${notDone}`;
    const text = failures.length === 1 && only ? `${title}. ${only.message}` : `${title}. The list says why.`;
    showToast({ id: done.length > 0 ? `${toastId} failures` : toastId, tone: 'red', text, icon });
    if (posts.length > 1) setFailed({ title, failures });
  }
  return { done, failures };
};

/** One result per post that the server processed. If the whole request fails, each of its posts counts as failed. */
const send = async ({ change, times, accountId }: BulkWork, batch: readonly BulkPost[]): Promise<BulkResult[]> => {
  const posts = batch.map(({ id }) => ({ id, at: times?.get(id) ?? '' }));
  for (let retries = 0; ; retries++) {
    try {
      return (await keepaliveApp.changePosts({ change, posts, ...(accountId && { accountId }) })).results;
    } catch (error) {
      if (!isRetryable(error) || retries === maxRetries) {
        return batch.map(({ id }) => ({ id, done: false, message: describeFailure(error) }));
      }
      const retryAfterMs = isPosthornError(error, 'TooManyRequests') ? error.retryAfterMs : undefined;
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs ?? Math.min(1000 * 2 ** retries, 15_000)));
    }
  }
};
