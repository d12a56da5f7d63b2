import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Clock, Stamp } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { describeFailure, faultOf } from '#web/base/faults.ts';
import { usePermissions, useZone } from '#web/base/session.ts';
import { formatRelative, formatSaid, formatTime } from '#web/base/time.ts';
import { showIfAsked, useActLabel, useApproverNames, useOwnRequest } from '#web/parts/approval-requests.ts';
import { Banner } from '#web/parts/banner.tsx';
import { capitalize } from '#web/parts/capitalize.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { ForecastFixes, forecastIcon, forecastTitle, useForecastMessage } from '#web/parts/forecast.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import { useNow } from '#web/parts/use-now.ts';
import { When } from '#web/parts/when.tsx';
import { useForecast } from './check-list.tsx';
import styles from './notices.module.css';
import { useChangeAuthor } from './use-change-author.ts';
import { useEditor } from './use-editor.ts';
import type { PostActions } from './use-post-actions.ts';

const CompareDialog = lazy(() => import('./compare-dialog.tsx'));

export const Notices = ({ actions }: { actions: PostActions }) => {
  const { save, readOnly } = useEditor();
  const say = useForecastMessage();
  const forecast = useForecast();
  const isScheduled = save.base?.status === 'Scheduled';
  return (
    <div className={styles.notices}>
      {readOnly && (
        <Banner tone="blue" title="You can read this post">
          {isScheduled && save.base?.scheduledAt && (
            <>
              It goes out <When at={save.base.scheduledAt} form="said" />.{' '}
            </>
          )}
          Owners, admins and editors of the workspace can change it.
        </Banner>
      )}
      {save.phase === 'conflict' && save.theirs && <ConflictNotice actions={actions} />}
      {save.phase === 'refused' &&
        (isScheduled && faultOf(save.fault).code === 'Invalid' ? (
          <Banner tone="orange" title="These changes are not saved yet">
            The post is scheduled, so it has to fit. It goes out as it was until what is listed under Checks is fixed.
          </Banner>
        ) : faultOf(save.fault).code === 'NotFound' ? (
          <Banner
            tone="orange"
            title="This post was deleted while you were writing"
            action={
              <Button size="xs" onClick={actions.keepMineAsCopy}>
                Keep mine as a copy
              </Button>
            }
          />
        ) : (
          <FaultBanner fault={save.fault} title="These changes are not saved" />
        ))}
      {save.phase === 'held' && <HeldNotice />}
      <RequestNotice />
      {forecast?.map((entry) => (
        <Banner
          key={`${entry.code} ${entry.accountId}`}
          tone={entry.level === 'Blocks' ? 'orange' : 'plum'}
          icon={forecastIcon(entry)}
          title={forecastTitle(entry)}
          action={save.base && <ForecastFixes post={save.base} entry={entry} name="this post" />}
        >
          {say(entry)}
        </Banner>
      ))}
      {isScheduled && save.base?.scheduledAt && !readOnly && (
        <ScheduledNotice at={save.base.scheduledAt} actions={actions} />
      )}
    </div>
  );
};

const ConflictNotice = ({ actions }: { actions: PostActions }) => {
  const { save } = useEditor();
  const zone = useZone();
  const [comparing, setComparing] = useState(false);
  const { theirs, base } = save;
  const author = useChangeAuthor(theirs, base);
  if (!theirs) return null;
  const isOut = theirs.status === 'Publishing' || theirs.status === 'Published';
  // Another base means that somebody changed the post after it failed.
  const hasFailed = theirs.status === 'Failed' && theirs === base;
  const who = author?.name ?? 'Someone';
  const keepMine = (
    <Button size="xs" onClick={actions.keepMineAsCopy}>
      Keep mine as a copy
    </Button>
  );
  const takeTheirs = (
    <Button size="xs" onClick={actions.takeTheirs}>
      {isOut ? 'See what went out' : hasFailed ? 'See what failed' : 'Use theirs'}
    </Button>
  );
  const takeMine = (
    <Button size="xs" onClick={() => actions.replaceBoth(save.draft)}>
      Use mine
    </Button>
  );
  return (
    <Banner
      tone="plum"
      title={
        isOut ? (
          'This post went out while you were writing'
        ) : hasFailed ? (
          'This post failed to publish'
        ) : (
          <>
            <bdi>{who}</bdi> changed this post{author?.isMe && ' elsewhere'} at {formatTime(theirs.updatedAt, zone)}
          </>
        )
      }
      action={
        <>
          <Button size="xs" onClick={() => setComparing(true)}>
            Compare
          </Button>
          {isOut ? keepMine : takeMine}
          {takeTheirs}
        </>
      }
    >
      Your text is kept here. Nothing was overwritten.
      <Suspense>
        {comparing && (
          <CompareDialog
            theirs={theirs}
            who={who}
            onClose={() => setComparing(false)}
            onUse={isOut ? undefined : actions.replaceBoth}
          >
            {isOut && takeTheirs}
            {keepMine}
          </CompareDialog>
        )}
      </Suspense>
    </Banner>
  );
};

/** An editor who may not publish changed a scheduled post. */
const HeldNotice = () => {
  const { saver, isUploading } = useEditor();
  const [running, setRunning] = useState(false);
  const ask = async () => {
    setRunning(true);
    showIfAsked(await saver.ask());
    setRunning(false);
  };
  return (
    <Banner
      tone="orange"
      title="You have not asked for this change yet"
      action={
        <>
          <Button size="xs" variant="ink" loading={running || isUploading} onClick={() => void ask()}>
            Ask to change
          </Button>
          <Button size="xs" onClick={saver.discard}>
            Discard
          </Button>
        </>
      }
    >
      The post is scheduled and goes out as it was until somebody approves your change.
    </Banner>
  );
};

const RequestNotice = () => {
  const { save } = useEditor();
  const request = useOwnRequest(save.base?.id);
  const approvers = useApproverNames();
  if (request === undefined) return null;
  return (
    <Banner
      tone="brass"
      icon={Stamp}
      title={`Asked; waiting for ${approvers}`}
      action={
        <Button size="xs" component={Link} to="/approvals/$id" params={{ id: request.id } as never}>
          Open request
        </Button>
      }
    >
      {request.sentence}.
    </Banner>
  );
};

const ScheduledNotice = ({ at, actions }: { at: string; actions: PostActions }) => {
  const zone = useZone();
  const { canOnlyAsk } = usePermissions();
  const label = useActLabel();
  useNow();
  const [running, setRunning] = useState(false);
  const unschedule = async () => {
    setRunning(true);
    try {
      await actions.unschedule();
      showToast({ text: 'Unscheduled. It is a draft again.' });
    } catch (error) {
      if (!showIfAsked(error))
        showToast({ text: describeFailure(error, 'It is still scheduled.'), tone: 'red', stays: true });
    } finally {
      setRunning(false);
    }
  };
  return (
    <Banner
      tone="blue"
      icon={Clock}
      title={`Goes out ${formatSaid(at, zone)}.${canOnlyAsk ? '' : ' Your changes count at once.'}`}
      action={
        <Button size="xs" loading={running} onClick={unschedule}>
          {label('Unschedule')}
        </Button>
      }
    >
      {capitalize(formatRelative(at))}.
    </Banner>
  );
};
