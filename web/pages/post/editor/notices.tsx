import { Button } from '@mantine/core';
import { Clock } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { faultOf } from '#web/faults.ts';
import { Banner } from '#web/parts/banner.tsx';
import { capitalize } from '#web/parts/capitalize.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { formatRelative, formatSaid, formatTime } from '#web/parts/time.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { useNow } from '#web/parts/use-now.ts';
import { When } from '#web/parts/when.tsx';
import { useZone } from '#web/session.ts';
import styles from './notices.module.css';
import { useChangeAuthor } from './use-change-author.ts';
import { useEditor } from './use-editor.ts';
import type { PostActions } from './use-post-actions.ts';

const CompareDialog = lazy(() => import('./compare-dialog.tsx'));

export const Notices = ({ actions }: { actions: PostActions }) => {
  const { save, readOnly } = useEditor();
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
        ) : (
          <FaultBanner fault={save.fault} title="These changes are not saved" />
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
  const who = author?.name ?? 'Someone';
  const keepMine = (
    <Button size="xs" onClick={actions.keepMineAsCopy}>
      Keep mine as a copy
    </Button>
  );
  const takeTheirs = (
    <Button size="xs" onClick={actions.takeTheirs}>
      {isOut ? 'See what went out' : 'Use theirs'}
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
        isOut
          ? 'This post went out while you were writing'
          : `${who} changed this post${author?.isMe ? ' elsewhere' : ''} at ${formatTime(theirs.updatedAt, zone)}`
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

const ScheduledNotice = ({ at, actions }: { at: string; actions: PostActions }) => {
  const zone = useZone();
  useNow();
  const [running, setRunning] = useState(false);
  const unschedule = async () => {
    setRunning(true);
    try {
      await actions.unschedule();
      showToast({ text: 'Unscheduled. It is a draft again.' });
    } catch (error) {
      showToast({ text: `It is still scheduled. ${faultOf(error).message}`, tone: 'red', stays: true });
    } finally {
      setRunning(false);
    }
  };
  return (
    <Banner
      tone="blue"
      icon={Clock}
      title={`Goes out ${formatSaid(at, zone)}. Your changes count at once.`}
      action={
        <Button size="xs" loading={running} onClick={unschedule}>
          Unschedule
        </Button>
      }
    >
      {capitalize(formatRelative(at))}.
    </Banner>
  );
};
