import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { workspaceOfTab } from '#web/base/api.ts';
import { useNotices } from '#web/base/notices.ts';
import { keys } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { TimeLeft, useCountdown } from '#web/parts/countdown.tsx';
import { When } from '#web/parts/when.tsx';
import styles from './app-notices.module.css';
import { HoldNotice } from './hold-notice.tsx';
import { LatePosts, useLatePosts } from './late-posts.tsx';
import { MissingParts, useMissingParts } from './missing-parts.tsx';
import { openWorkspace } from './open-workspace.ts';
import { ServerChecks, useHold, useServerChecks } from './server-checks.tsx';

/** The page stays mounted below, so nothing typed is lost. */
const AppNotices = () => {
  const { conflicts, isUnreachable, isSwitching, tooManyUntil } = useNotices();
  const client = useQueryClient();
  useEffect(() => {
    if (conflicts > 0) void client.invalidateQueries({ queryKey: keys.session });
  }, [conflicts, client]);
  useEffect(() => {
    // The browser lost its network; the answer shows whether the server is gone too.
    const check = () => void client.invalidateQueries({ queryKey: keys.session });
    addEventListener('offline', check);
    return () => removeEventListener('offline', check);
  }, [client]);
  const { workspaces, workspace } = useSession();
  const own = workspaces.find(({ id }) => id === workspaceOfTab());
  const isOtherWorkspace = workspace?.id !== workspaceOfTab();
  const isSwitchedElsewhere = isOtherWorkspace && !isSwitching;
  const deletion = isOtherWorkspace ? undefined : workspace?.deletion;
  // A workspace in deletion sends nothing, and another workspace's late posts do not belong here.
  const late = useLatePosts();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const anyHold = useHold();
  // The backups page has its own banner, with the button that releases the hold.
  const hold = path === '/settings/backups' ? undefined : anyHold;
  const isLate = anyHold === undefined && late.length > 0 && !isOtherWorkspace && deletion === undefined;
  const trouble = useServerChecks();
  // The LatePosts banner already lists late posts.
  const failures = trouble.filter(({ level, name }) => level === 'failure' && !(isLate && name === 'late posts'));
  const missing = useMissingParts();
  const isQuiet =
    !isSwitchedElsewhere && !isUnreachable && tooManyUntil === undefined && deletion === undefined && !isLate;
  if (isQuiet && failures.length === 0 && hold === undefined && missing === '') return null;
  return (
    <div className={styles.notices}>
      {isSwitchedElsewhere && (
        <Banner
          tone="plum"
          title={own ? 'Another workspace is open in this browser' : 'You are no longer in this workspace'}
          action={
            <>
              {own && (
                <Button size="xs" onClick={() => openWorkspace(own.id, { stay: true })}>
                  Back to {own.name}
                </Button>
              )}
              <Button size="xs" onClick={() => location.assign('/')}>
                Go to {workspace?.name ?? 'Posthorn'}
              </Button>
            </>
          }
        >
          {own
            ? `This page belongs to ${own.name}. Your text is kept here, and saved once you are back in it.`
            : 'Your text is kept here. Copy what you need.'}
        </Banner>
      )}
      {deletion && (
        <Banner
          tone="orange"
          title={
            <>
              {workspace?.name} is deleted <When at={deletion.at} form="full" />
            </>
          }
          action={
            <Button size="xs" renderRoot={(props) => <Link to="/settings/workspace" hash="delete" {...props} />}>
              {workspace?.role === 'owner' ? 'Keep it' : 'Open'}
            </Button>
          }
        >
          {deletion.askedBy ? `${deletion.askedBy} asked for it. ` : ''}Nothing is published from it meanwhile.
        </Banner>
      )}
      {hold && <HoldNotice backupAt={hold.backupAt} />}
      {isLate && <LatePosts posts={late} />}
      {failures.length > 0 && <ServerChecks checks={failures} />}
      {tooManyUntil !== undefined && <TooMany until={tooManyUntil} />}
      {missing !== '' && !isUnreachable && <MissingParts names={missing} />}
      {isUnreachable && (
        <Banner tone="orange" title="The server does not answer">
          Posts that you write are kept in this browser and saved when it is back. Try any other change again then.
        </Banner>
      )}
    </div>
  );
};

const TooMany = ({ until }: { until: number }) => {
  const seconds = useMemo(() => Math.ceil((until - performance.now()) / 1000), [until]);
  const left = useCountdown(until, seconds);
  return (
    <Banner
      tone="orange"
      title={
        <>
          Too many requests. Wait <TimeLeft left={`${Math.max(1, left)} s`} of={`${seconds} s`} />, then try again.
        </>
      }
    />
  );
};

export default AppNotices;
