import { ActionIcon, Button, SegmentedControl, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { ChevronLeft, ChevronRight, Globe, Heart, PanelRight, TriangleAlert } from 'lucide-react';
import { useMemo, useState } from 'react';
import { usePermissions, useZone } from '#web/base/session.ts';
import { addDays, cityOf } from '#web/base/time.ts';
import { AccountFilter } from '#web/parts/account-filter.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { blocksIn } from '#web/parts/forecast.tsx';
import { LabelFilter } from '#web/parts/label-filter.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { useNow } from '#web/parts/use-now.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { AccountBadges } from './account-badges.tsx';
import { Agenda } from './agenda.tsx';
import styles from './calendar.module.css';
import { daysOf, isDate, isView, rangeOf, stepOf, titleOf, todayIn, type View } from './dates.ts';
import { DraftsTray, trayId, useTray } from './drafts-tray.tsx';
import { Grid } from './grid.tsx';
import { PhoneMonth } from './phone-month.tsx';
import { type Choosing, TimeDialog } from './time-dialog.tsx';
import { useBestTimes, withoutNear } from './use-best-times.ts';
import { useCalendarKeys } from './use-calendar-keys.ts';
import { useFreeSlots } from './use-free-slots.ts';
import { useItems } from './use-items.ts';
import { useMoves } from './use-moves.ts';
import { WeekStrip } from './week-strip.tsx';

const viewWords: { value: View; label: string }[] = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
  { value: 'agenda', label: 'Agenda' },
];

const phoneViews = viewWords.filter(({ value }) => value === 'week' || value === 'month');

const Calendar = () => {
  const zone = useZone();
  const isPhone = useIsPhone();
  const isNarrow = useMediaQuery('(max-width: 68.74em)', matchMedia('(max-width: 68.74em)').matches);
  const { canWrite } = usePermissions();
  useNow();
  const [search, setSearch] = usePageSearch<'view' | 'date' | 'accounts' | 'labels' | 'drafts'>();
  const isPhoneMonth = isPhone && search.view === 'month';
  const view: View = isPhone ? 'agenda' : isView(search.view) ? search.view : 'week';
  const dateOf = (text: string | undefined) => (isDate(text) ? text : todayIn(zone));
  const date = dateOf(search.date);
  const accounts = search.accounts?.split(',') ?? [];
  const accountIds = accounts.join(',');
  const labels = search.labels?.split(',') ?? [];
  const labelIds = labels.join(',');
  const week = rangeOf('week', date);
  // On a phone, the list shows seven days from any day of this week, so load two weeks.
  const range = isPhoneMonth
    ? rangeOf('month', date)
    : isPhone
      ? ([week[0], addDays(week[1], 7)] as const)
      : rangeOf(view, date);
  const [from, to] = isPhone ? [date, addDays(date, isPhoneMonth ? 1 : 7)] : range;
  const days = useMemo(() => daysOf([from, to]), [from, to]);

  const moves = useMoves();
  const { items, error, refetch, isLoading, isLoaded } = useItems(range, { accountIds, labelIds }, moves.moved);
  const blocked = items.filter(({ post }) => blocksIn(post.forecast).length > 0).length;
  const slots = useFreeSlots(days, accounts);
  const bestTimes = useBestTimes(view === 'month' ? [] : days, items, accountIds);
  // Slots are chosen by people; a suggested time beside one is noise.
  const times = withoutNear(bestTimes, slots);
  const drafts = useTray(accountIds);
  const isTrayOpen = search.drafts === 'open';
  const [choosing, setChoosing] = useState<Choosing>();

  const setAccounts = (ids: readonly string[]) => void setSearch({ accounts: ids.join(',') });
  const setLabels = (ids: readonly string[]) => void setSearch({ labels: ids.join(',') });
  const setDate = (next: string) => void setSearch({ date: next });
  const go = {
    back: () => void setSearch((latest) => ({ date: stepOf(view, dateOf(latest.date), -1) })),
    on: () => void setSearch((latest) => ({ date: stepOf(view, dateOf(latest.date), 1) })),
    today: () => void setSearch({ date: undefined }),
  };
  useCalendarKeys(go);

  const close = () => {
    setChoosing(undefined);
    // The menu that opened the dialog is unmounted, so it cannot take the focus back.
    if (choosing) focusCard(choosing.post.id);
  };
  return (
    <div className={styles.page}>
      <PageHeader
        title="Calendar"
        chip={!isPhone && <Stepper title={titleOf(view, date, isNarrow)} {...go} />}
        actions={
          isPhone ? (
            <>
              <SegmentedControl
                aria-label="View"
                data={phoneViews}
                value={isPhoneMonth ? 'month' : 'week'}
                onChange={(next) => void setSearch({ view: next === 'week' ? undefined : next })}
              />
              <LabelFilter chosen={labels} onChange={setLabels} />
              <AccountFilter chosen={accounts} onChange={setAccounts} />
            </>
          ) : (
            <>
              {blocked > 0 && (
                <span className={styles.blocked}>
                  <TriangleAlert size={16} aria-hidden="true" /> {blocked} will not go out
                </span>
              )}
              <SegmentedControl
                aria-label="View"
                data={viewWords}
                value={view}
                onChange={(next) => void setSearch({ view: next === 'week' ? undefined : next })}
              />
              {canWrite && (
                <Button
                  className={styles.drafts}
                  leftSection={<PanelRight size={16} aria-hidden="true" />}
                  aria-expanded={isTrayOpen}
                  aria-controls={isTrayOpen ? trayId : undefined}
                  onClick={() => void setSearch({ drafts: isTrayOpen ? undefined : 'open' })}
                >
                  Drafts{drafts.length > 0 && <span>{drafts.length}</span>}
                </Button>
              )}
            </>
          )
        }
      />
      {!isPhone && (
        <div className={styles.bar}>
          <span className={styles.filters}>
            <AccountBadges chosen={accounts} onChange={setAccounts} />
            <LabelFilter chosen={labels} onChange={setLabels} size="xs" />
          </span>
          <span className={styles.legend}>
            {isLoaded && items.length === 0 && view !== 'agenda' && (
              <span>Nothing is planned here.{canWrite && ' Click a time to write for it.'}</span>
            )}
            {items.some(({ post }) => post.numbers === 'Read') && view !== 'month' && (
              <span>
                <Heart size={14} aria-hidden="true" />
                engagement
              </span>
            )}
            {slots.length > 0 && (
              <span>
                <i className={`${styles.swatch} ${styles.slotSwatch}`} />
                Free slot
              </span>
            )}
            {times.length > 0 && (
              <span>
                <i className={styles.swatch} />
                {times.some(({ isGuess }) => isGuess)
                  ? 'A guess: few posts at these hours yet'
                  : 'Good time, from your own numbers'}
              </span>
            )}
            <span>
              <Globe size={14} aria-hidden="true" />
              <span className="hidden">Time zone {zone}</span>
              <span aria-hidden="true">{cityOf(zone)}</span>
            </span>
          </span>
        </div>
      )}
      {isPhoneMonth ? (
        <PhoneMonth days={daysOf(range)} date={date} items={items} isLoaded={isLoaded} onDate={setDate} />
      ) : (
        isPhone && <WeekStrip days={daysOf(week)} date={date} items={items} isLoaded={isLoaded} onDate={setDate} />
      )}
      {error && (
        <div className={styles.fault}>
          <FaultBanner fault={error} title="The calendar could not be loaded" onRetry={() => void refetch()} />
        </div>
      )}
      <div className={styles.body}>
        {view === 'agenda' ? (
          <div className={styles.scroll}>
            <Agenda
              days={days}
              items={items}
              times={times}
              slots={slots}
              isLoading={isLoading}
              isLoaded={isLoaded}
              onChoose={setChoosing}
            />
          </div>
        ) : (
          <Grid
            view={view}
            date={date}
            days={days}
            items={items}
            times={times}
            slots={slots}
            moves={moves}
            isLoading={isLoading}
            isLoaded={isLoaded}
            onChoose={setChoosing}
            onDraft={(id, at) => {
              const post = drafts.find((draft) => draft.id === id);
              if (post) setChoosing({ post, at });
            }}
            onView={(next, day) => void setSearch({ view: next, date: day })}
          />
        )}
        {!isPhone && canWrite && isTrayOpen && <DraftsTray drafts={drafts} onChoose={setChoosing} />}
      </div>
      <TimeDialog choosing={choosing} moves={moves} onClose={close} />
    </div>
  );
};

const Stepper = ({
  title,
  back,
  on,
  today,
}: {
  title: string;
  back: () => void;
  on: () => void;
  today: () => void;
}) => (
  <div className={styles.stepper}>
    <Tooltip label="Previous  [">
      <ActionIcon aria-label="Previous" onClick={back}>
        <ChevronLeft size={18} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
    <span className="medium number" aria-live="polite">
      {title}
    </span>
    <Tooltip label="Next  ]">
      <ActionIcon aria-label="Next" onClick={on}>
        <ChevronRight size={18} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
    <Button size="xs" onClick={today}>
      Today
    </Button>
  </div>
);

/** A moved card is a new element; move the focus to it. */
const focusCard = (id: string) => {
  setTimeout(() => {
    const card = document.querySelector<HTMLElement>(
      `[data-event-id="${CSS.escape(id)}"] a, [data-row="${CSS.escape(id)}"] a`,
    );
    card?.focus();
  }, 100);
};

export default Calendar;
