import { Button } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { Check, CircleHelp, CircleX, ExternalLink, LoaderCircle } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { Post } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { useZone } from '#web/base/session.ts';
import { formatSaid } from '#web/base/time.ts';
import { Mark } from '#web/parts/mark.tsx';
import { thumbnailOf } from '#web/parts/media-file.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { headingOf } from '#web/parts/post-title.tsx';
import { FailedAnswers, reasonOf } from '#web/parts/results/failed-row.tsx';
import { webAddress } from '#web/parts/results/summary-of.ts';
import { UncertainAnswers } from '#web/parts/results/uncertain-row.tsx';
import { WaitAnswers } from '#web/parts/results/waiting-row.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { Lines } from './lines.tsx';
import styles from './send-off.module.css';
import { describeFailure, describeStep, formatElapsed } from './steps.ts';
import { type Tally, tallyOf, titleOf, togetherMs } from './summary.ts';
import { type SendOffRow, useSendOff } from './use-send-off.ts';
import { watchPost } from './watched.ts';

/** Shows a post on its way to its accounts. */
export default function Board({
  post,
  isFresh,
  footer,
}: {
  post: Post;
  /** Sent just now from this page, so the mark answers the click. */
  isFresh: boolean;
  footer?: (
    tally: Tally,
    rows: readonly SendOffRow[],
    sendAgain: ReturnType<typeof useSendOff>['sendAgain'],
  ) => React.ReactNode;
}) {
  const { rows, sendAgain, isLoaded } = useSendOff(post);
  const titleId = useId();
  const field = useRef<HTMLDivElement>(null);
  const isPhone = useIsPhone() ?? false;
  const isStill = useReducedMotion(undefined, { getInitialValueInEffect: false });
  useFocusOnFailure(field, isLoaded ? rows : [], isFresh);
  useEffect(() => watchPost(post.id), [post.id]);
  const tally = tallyOf(rows);
  const isAllOut = tally.out === tally.all;
  const picture = post.versions[0]?.content[0]?.media[0];
  return (
    <section className={`card ${styles.board}`} aria-labelledby={titleId} data-all-out={isAllOut || undefined}>
      <header className={styles.head}>
        {picture !== undefined && <Thumbnail url={thumbnailOf(picture)} size={40} />}
        <div className="grow">
          <h2 id={titleId} aria-live="polite" className={styles.title}>
            {titleOf(rows)}
          </h2>
          <p className="small text-2 one-line" dir="auto">
            <Subtitle post={post} rows={rows} tally={tally} />
          </p>
        </div>
      </header>
      <div ref={field} className={styles.field} data-still={isStill || undefined}>
        {!isStill && (
          <>
            <Lines field={field} rows={rows} isDown={isPhone} />
            <span className={styles.mark} data-mark="" data-fresh={isFresh || undefined}>
              <Mark size={isPhone ? 36 : 44} />
            </span>
          </>
        )}
        <ul className={styles.rows} aria-label="Accounts">
          {rows.map((row) => (
            <Row key={row.accountId} row={row} post={post} isStill={isStill} isLoaded={isLoaded} />
          ))}
        </ul>
      </div>
      {footer && <footer className={styles.foot}>{footer(tally, rows, sendAgain)}</footer>}
    </section>
  );
}

const Subtitle = ({ post, rows, tally }: { post: Post; rows: readonly SendOffRow[]; tally: Tally }) => {
  const zone = useZone();
  if (tally.failed + tally.uncertain > 0) return 'What worked stays. Nothing is sent twice.';
  const reads = rows.flatMap(({ entry }) => entry?.nextFetchAt ?? []).sort();
  if (tally.out === tally.all && reads[0]) return `First numbers come ${formatSaid(reads[0], zone)}.`;
  return headingOf(post.versions[0]?.content[0]?.body ?? '') || 'Post without text';
};

const Row = ({
  row,
  post,
  isStill,
  isLoaded,
}: {
  row: SendOffRow;
  post: Post;
  isStill: boolean;
  isLoaded: boolean;
}) => {
  const { account, accountId, network, provider, state } = row;
  const [isAnswering, setIsAnswering] = useState(false);
  return (
    <li className={styles.row} data-account={accountId} data-state={state}>
      <div className={styles.main}>
        {!isStill && <span className={styles.end} data-end={accountId} />}
        <NetworkBadge network={network || provider} size={24} isColored={state === 'Out'} />
        <div className={styles.name}>
          <b>{provider}</b>
          {account && (
            <span className="caption text-3 one-line" dir="auto">
              {handleOf(account)}
            </span>
          )}
        </div>
        {isLoaded && <Status row={row} isStill={isStill} />}
      </div>
      {state === 'Failed' && row.result && (
        <div className={styles.more}>
          <p className="small">{reasonOf(row.target)}</p>
          <FailedAnswers target={row.target} post={post} />
        </div>
      )}
      {state === 'Uncertain' && row.result && (
        <div className={styles.more}>
          {isAnswering || !row.isFinal ? (
            <UncertainAnswers target={row.target} post={post} />
          ) : (
            <Button size="xs" onClick={() => setIsAnswering(true)}>
              Check and answer
            </Button>
          )}
        </div>
      )}
      {row.wait && state === 'Running' && (
        <div className={styles.more}>
          <WaitAnswers target={row.target} wait={row.wait} postId={post.id} />
        </div>
      )}
    </li>
  );
};

const Status = ({ row, isStill }: { row: SendOffRow; isStill: boolean }) => {
  const zone = useZone();
  const { state, step, result, provider } = row;
  const url = webAddress(result?.url);
  switch (state) {
    case 'Out': {
      const elapsed = step?.elapsedMs === undefined ? undefined : formatElapsed(step.elapsedMs);
      return (
        <span className={`small number ${styles.status}`}>
          <Check size={15} aria-hidden="true" />
          <span>
            <span className={isStill ? '' : 'hidden'}>{elapsed ? 'Out after ' : 'Out'}</span>
            <span className={styles.elapsed}>{elapsed}</span>
          </span>
          {url && (
            <a href={url} target="_blank" rel="noreferrer" aria-label={`Open on ${provider} (opens a new tab)`}>
              Open <ExternalLink size={12} aria-hidden="true" />
            </a>
          )}
        </span>
      );
    }
    case 'Failed':
      return (
        <span className={`small ${styles.status}`}>
          <CircleX size={15} aria-hidden="true" />
          {isStill ? describeFailure(result) : 'Failed'}
        </span>
      );
    case 'Uncertain':
      return (
        <span className={`small ${styles.status}`}>
          <CircleHelp size={15} aria-hidden="true" />
          Uncertain
        </span>
      );
    case 'Running':
      return (
        <span className={`small number ${styles.status}`}>
          {isStill && <LoaderCircle size={15} aria-hidden="true" />}
          {describeStep(step, provider, zone)}
        </span>
      );
  }
};

/** The first failure that happens while a person watches gets the focus, once. */
const useFocusOnFailure = (
  field: React.RefObject<HTMLDivElement | null>,
  rows: readonly SendOffRow[],
  isFresh: boolean,
) => {
  const seenRunning = useRef(new Set<string>());
  const hasMoved = useRef(false);
  // Ignore an account that failed in an earlier send and is not part of this one.
  const newest = Math.max(...rows.map(startOf));
  const failed = rows.find(
    (row) =>
      row.state === 'Failed' &&
      row.result !== undefined &&
      (seenRunning.current.has(row.accountId) || (isFresh && startOf(row) > newest - togetherMs)),
  )?.accountId;
  useEffect(() => {
    for (const { accountId, state } of rows) if (state === 'Running') seenRunning.current.add(accountId);
  });
  useEffect(() => {
    if (failed === undefined || hasMoved.current) return;
    const { activeElement } = document;
    // Do not take the focus from somebody who is typing or using a dialog.
    if (activeElement?.matches('input, textarea, [contenteditable="true"], [role="dialog"] *')) return;
    hasMoved.current = true;
    field.current?.querySelector<HTMLElement>(`[data-account="${failed}"] :is(a, button)`)?.focus();
  }, [failed, field]);
};

const startOf = ({ step }: SendOffRow) => (step === undefined ? 0 : Date.parse(step.startedAt));
