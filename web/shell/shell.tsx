import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { enterWorkspace, workspaceOfTab } from '#web/base/api.ts';
import { paths } from '#web/base/paths.ts';
import { queries } from '#web/base/queries.ts';
import { usePermissions, useSession } from '#web/base/session.ts';
import { browserZone, setServerClock } from '#web/base/time.ts';
import { startLive } from '#web/live/live.ts';
import { useOpenFromPush } from '#web/live/use-open-from-push.ts';
import { useReportContext } from '#web/live/use-report-context.ts';
import { usePaletteCalls } from '#web/parts/palette-store.ts';
import { PartBoundary } from '#web/parts/part-boundary.tsx';
import { useChangeProfile, useProfileTheme } from '#web/parts/profile.ts';
import { useGlobalShortcuts } from '#web/parts/shortcuts.ts';
import { renewTimes } from '#web/parts/use-now.ts';
import { BottomBar } from './bottom-bar.tsx';
import styles from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { useRestoreFocus } from './use-restore-focus.ts';

/** Loaded on demand, to keep the first page small. */
const NoWorkspace = lazy(() => import('./no-workspace.tsx'));
const FactorNeeded = lazy(() => import('./factor-needed.tsx'));
const ShortcutHelp = lazy(() => import('./shortcut-help.tsx'));
const Palette = lazy(() => import('./palette.tsx'));
/** Loaded right after the first page, since it cannot be loaded once the server is down. */
const AppNotices = lazy(() => import('./app-notices.tsx'));

export const Shell = () => {
  const { workspace } = useSession();
  // Once a second factor is set up, the next session refetch would open the workspace and hide the recovery codes. This
  // flag keeps them on screen.
  const [hasRecoveryCodes, setHasRecoveryCodes] = useState(false);
  useProfileTheme();
  if (workspace === undefined) {
    return (
      <Suspense>
        <NoWorkspace />
      </Suspense>
    );
  }
  if (workspace.lacksFactor || hasRecoveryCodes) {
    return (
      <Suspense>
        <FactorNeeded onCodes={setHasRecoveryCodes} />
      </Suspense>
    );
  }
  enterWorkspace(workspace.id);
  return <Frame />;
};

const Frame = () => {
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const help = useCallback(() => setIsHelpOpen(true), []);
  const { canWrite } = usePermissions();
  const isPaletteCalled = usePaletteCalls() > 0;
  const isCalendar = useRouterState({ select: ({ location }) => location.pathname === paths.calendar });
  useGlobalShortcuts({ canWrite, onHelp: help });
  useReportContext();
  useLive();
  useServerClock();
  useFirstZone();
  useOpenFromPush();
  useRestoreFocus();
  return (
    <div className={styles.shell}>
      <div id="skip-links" className={styles.skip}>
        <a href="#page">To the page</a>
      </div>
      <PartBoundary>
        <Sidebar onHelp={help} />
      </PartBoundary>
      <main id="page" className={styles.sheet} data-fills={isCalendar || undefined} tabIndex={-1}>
        <PartBoundary>
          <Suspense>
            <AppNotices />
          </Suspense>
        </PartBoundary>
        <Outlet />
      </main>
      <PartBoundary>
        <BottomBar />
      </PartBoundary>
      <Suspense>{isPaletteCalled && <Palette onHelp={help} />}</Suspense>
      <Suspense>{isHelpOpen && <ShortcutHelp onClose={() => setIsHelpOpen(false)} />}</Suspense>
    </div>
  );
};

const useLive = () => {
  const client = useQueryClient();
  // Not the workspace of the session, which another tab may have switched.
  const id = workspaceOfTab();
  useEffect(() => (id === undefined ? undefined : startLive(id, client)), [id, client]);
};

const useServerClock = () => {
  const { data } = useQuery(queries.clock);
  useEffect(() => {
    if (data === undefined) return;
    setServerClock(data.now);
    renewTimes();
  }, [data]);
};

/** Sets the time zone of a new profile to the browser's. */
const useFirstZone = () => {
  const hasNoZone = useSession().user.timeZone === '';
  // Silent: the browser's zone applies anyway, and the next visit retries.
  const { mutate } = useChangeProfile(() => undefined);
  useEffect(() => {
    if (hasNoZone) mutate({ timeZone: browserZone() });
  }, [hasNoZone, mutate]);
};

/** The editor creates the draft on the first change. */
export const useNewPost = () => {
  const navigate = useNavigate();
  return (at?: string) => navigate({ to: '/posts/$id', params: { id: 'new' }, search: at === undefined ? {} : { at } });
};
