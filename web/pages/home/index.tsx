import { ActionIcon, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Pencil, Search } from 'lucide-react';
import { usePermissions, useZone } from '#web/base/session.ts';
import { formatTime } from '#web/base/time.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { formatShort } from '#web/parts/format-short.ts';
import { PageHeader } from '#web/parts/page-header.tsx';
import { togglePalette } from '#web/parts/palette-store.ts';
import { Column } from '#web/parts/section.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { useNextSlot } from '#web/parts/use-next-slot.ts';
import { useNow } from '#web/parts/use-now.ts';
import { ServerChecks, useServerChecks } from '#web/shell/server-checks.tsx';
import { FirstRun } from './first-run.tsx';
import { Today } from './today.tsx';
import { useFirstRun } from './use-first-run.ts';

const Home = () => {
  const firstRun = useFirstRun();
  const isNew = firstRun.state === 'shown';
  return (
    <>
      <PageHeader title="Home" meta={!isNew && <Present />} actions={firstRun.state === 'over' && <Acts />} />
      {firstRun.state === 'fault' && (
        <Column>
          <FaultBanner fault={firstRun.fault} title="Home could not be loaded" onRetry={firstRun.retry} />
        </Column>
      )}
      {firstRun.state === 'unknown' && (
        <Column>
          <SkeletonRows rows={6} height={60} label="Loading your day" />
        </Column>
      )}
      {firstRun.state === 'shown' && <FirstRun steps={firstRun.steps} onHide={firstRun.hide} />}
      {firstRun.state === 'over' && <ServerWarnings />}
      {firstRun.state === 'over' && <Today />}
    </>
  );
};

/** The shell shows failures on every page. Members see account and webhook problems anyway. */
const ServerWarnings = () => {
  const trouble = useServerChecks();
  const warnings = trouble.filter(({ level, name }) => level === 'warning' && !['accounts', 'webhooks'].includes(name));
  if (warnings.length === 0) return null;
  return (
    <Column>
      <ServerChecks checks={warnings} />
    </Column>
  );
};

/** `Tuesday 17 November, 14:03` */
const Present = () => {
  const now = useNow();
  const zone = useZone();
  const day = new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'long', day: 'numeric', month: 'long' });
  return (
    <time dateTime={now.toISOString()} title={zone}>
      {day.format(now).replace(',', '')}, {formatTime(now, zone)}
    </time>
  );
};

/** The sidebar has the search on a desktop, the bottom bar has New post on a phone. */
const Acts = () => (
  <>
    <WriteForSlot />
    <ActionIcon className="phone-only" size={40} aria-label="Search or jump to" onClick={togglePalette}>
      <Search size={20} strokeWidth={1.75} aria-hidden="true" />
    </ActionIcon>
  </>
);

const WriteForSlot = () => {
  const zone = useZone();
  const { canWrite } = usePermissions();
  const slot = useNextSlot([], { enabled: canWrite });
  if (slot === undefined) return null;
  return (
    <Button
      className="desk-only"
      leftSection={<Pencil size={15} aria-hidden="true" />}
      renderRoot={(props) => <Link to="/posts/$id" params={{ id: 'new' }} search={{ at: slot }} {...props} />}
    >
      Write for the next free slot, {formatShort(slot, zone)}
    </Button>
  );
};

export default Home;
