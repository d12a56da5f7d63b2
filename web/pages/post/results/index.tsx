import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Post } from '#generated/app-client';
import { usePermissions, useZone } from '#web/base/session.ts';
import { formatDay, formatSaid, formatTime } from '#web/base/time.ts';
import { PostLabels } from '#web/pages/post/post-labels.tsx';
import { History } from '#web/pages/post/review/history.tsx';
import { ReviewPanel, SideButton } from '#web/pages/post/review/review-panel.tsx';
import { useSide } from '#web/pages/post/review/use-side.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { count } from '#web/parts/number.ts';
import { PageHeader } from '#web/parts/page-header.tsx';
import { headingOf } from '#web/parts/post-title.tsx';
import { FailedRow } from '#web/parts/results/failed-row.tsx';
import { ResultRow } from '#web/parts/results/result-row.tsx';
import { summaryOf } from '#web/parts/results/summary-of.ts';
import type { Target } from '#web/parts/results/target.ts';
import { UncertainRow } from '#web/parts/results/uncertain-row.tsx';
import { WaitingRow } from '#web/parts/results/waiting-row.tsx';
import { Column } from '#web/parts/section.tsx';
import { SideRail, WithRail } from '#web/parts/side-rail.tsx';
import { PostStateChip, StateIcon, stateOf } from '#web/parts/state-chip.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { describeStep } from '#web/send-off/steps.ts';
import { useResults } from '#web/send-off/use-results.ts';
import { readEngagement, totalEngagement } from './engagement.ts';
import styles from './page.module.css';
import { PublishedRow } from './published-row.tsx';
import { ReadsTimeline } from './reads-timeline.tsx';
import { ResultActions } from './result-actions.tsx';
import { SentContent } from './sent-content.tsx';

export default function Results({ post }: { post: Post }) {
  const { targets, sendAgain, fault, retry } = useResults(post);
  const { side, openSide } = useSide();
  const { canWrite } = usePermissions();
  const label = useActLabel();
  const [textShown, setTextShown] = useState(false);
  const isPhone = useIsPhone();
  const most = Math.max(0, ...targets.map((target) => readEngagement(target) ?? 0));
  const text = post.versions[0]?.content[0]?.body ?? '';
  return (
    <>
      <PageHeader
        crumb={{ label: 'Posts', link: { to: '/posts' } }}
        title={headingOf(text) || 'Post without text'}
        chip={<HeaderChip post={post} />}
        actions={
          <>
            <SideButton postId={post.id} />
            <ResultActions post={post} targets={targets} onShowText={() => setTextShown(true)} />
          </>
        }
      />
      <WithRail
        rail={
          side ? (
            <SideRail label="Comments and history" width={400} opened onClose={() => openSide(undefined)}>
              <ReviewPanel postId={post.id} side={side} />
            </SideRail>
          ) : (
            <SideRail label="What went out" width={320} opened={textShown} onClose={() => setTextShown(false)}>
              <SentContent post={post} targets={targets} />
              <section className={styles.history} aria-labelledby="history">
                <h2 id="history" className="subtitle">
                  History
                </h2>
                <History postId={post.id} />
              </section>
            </SideRail>
          )
        }
      >
        <Column width="full">
          <div className={styles.page}>
            {isPhone && <Engagement targets={targets} />}
            <Heading post={post} targets={targets} />
            {fault !== undefined && (
              <FaultBanner title="The numbers could not be loaded" fault={fault} onRetry={retry} />
            )}
            {canWrite && sendAgain.isOffered && (
              <div className={styles.again}>
                <Button
                  size="xs"
                  variant="send"
                  loading={sendAgain.isPending}
                  onClick={() => sendAgain.mutate(undefined)}
                >
                  {label('Send again to all that failed')}
                </Button>
              </div>
            )}
            {sendAgain.error && <FaultBanner title="It was not sent" fault={sendAgain.error} />}
            <div className={styles.labels}>
              <PostLabels id={post.id} readOnly={!canWrite} />
            </div>
            <ul className={`card ${styles.list}`} aria-label="Accounts">
              {targets.map((target) => (
                <TargetRow key={target.accountId} target={target} post={post} most={most} />
              ))}
            </ul>
            <ReadsTimeline targets={targets} />
          </div>
        </Column>
      </WithRail>
    </>
  );
}

/** `Failed on 1 of 5`; on a phone only the icon, so that the title has room. */
const HeaderChip = ({ post }: { post: Post }) => {
  return useIsPhone() ? <StateIcon state={stateOf(post)} /> : <PostStateChip post={post} />;
};

/** `312 engagements in 6 hours. Read at 15:00.` */
const Engagement = ({ targets }: { targets: readonly Target[] }) => {
  const zone = useZone();
  const total = totalEngagement(targets);
  if (total === undefined) return null;
  const { engagement, hours, readAt } = total;
  return (
    <div className={styles.engagement}>
      <p className={styles.sentence}>
        <b>{count(engagement, 'engagement')}</b> in{' '}
        {hours < 48 ? count(hours, 'hour') : count(Math.round(hours / 24), 'day')}.
      </p>
      <p className="small text-2">Read {formatSaid(readAt, zone)}.</p>
    </div>
  );
};

const TargetRow = ({ target, post, most }: { target: Target; post: Post; most: number }) => {
  const zone = useZone();
  switch (target.state) {
    case 'Failed':
      return <FailedRow target={target} post={post} />;
    case 'Uncertain':
      return <UncertainRow target={target} post={post} />;
    case 'Published':
      return <PublishedRow target={target} most={most} />;
    case 'Publishing':
      return target.wait ? (
        <WaitingRow target={target} wait={target.wait} postId={post.id} />
      ) : (
        <ResultRow
          target={target}
          line={target.result?.error?.message ?? describeStep(target.step, target.provider, zone)}
        />
      );
  }
};

const Heading = ({ post, targets }: { post: Post; targets: readonly Target[] }) => {
  const zone = useZone();
  const times = targets.flatMap(({ result, entry }) => result?.publishedAt ?? entry?.publishedAt ?? []).sort();
  const at = times[0];
  const isSending = post.status === 'Publishing';
  const title = at
    ? `Went out ${formatDay(at, zone)} at ${formatTime(at, zone)}`
    : isSending
      ? 'Going out now'
      : targets.some(({ state }) => state === 'Uncertain')
        ? 'May have gone out'
        : 'Did not go out';
  return (
    <div className={styles.heading}>
      <h2>{isSending ? 'Going out now' : title}</h2>
      <p className="small text-2" role="status">
        {summaryOf(targets)}
      </p>
    </div>
  );
};
