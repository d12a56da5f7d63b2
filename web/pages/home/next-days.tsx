import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleHelp, TextAlignStart } from 'lucide-react';
import { useState } from 'react';
import type { ForecastOverview, PostSummary } from '#generated/app-client';
import { queries } from '#web/base/queries.ts';
import { usePermissions, useZone } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { blocksIn, type ForecastEntry, ForecastFixes, forecastIcon, useForecastMessage } from '#web/parts/forecast.tsx';
import { formatShort } from '#web/parts/format-short.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { count } from '#web/parts/number.ts';
import { PostTitle, titleOf } from '#web/parts/post-title.tsx';
import { Section } from '#web/parts/section.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { useNextSlot } from '#web/parts/use-next-slot.ts';
import { When } from '#web/parts/when.tsx';
import styles from './forecast.module.css';

const mostRows = 3;

/** Renders nothing while it loads: the page is complete without it. */
export const NextDays = () => {
  const zone = useZone();
  const { data, error, refetch } = useQuery(queries.forecast(zone));
  const [isOpen, setIsOpen] = useState(false);
  if (data === undefined) {
    if (!error) return null;
    return (
      <Section title="Next 30 days" action={<Link to="/calendar">Open calendar</Link>}>
        <FaultBanner fault={error} title="The forecast could not be loaded" onRetry={() => void refetch()} />
      </Section>
    );
  }
  const { planned, blocked, days, posts, later, unknown } = data;
  const shown = isOpen ? posts : posts.slice(0, mostRows);
  const hidden = posts.length - shown.length;
  return (
    <Section title="Next 30 days" note={rangeOf(days)} action={<Link to="/calendar">Open calendar</Link>} card>
      <div className={styles.head}>
        {planned === 0 ? (
          <NothingPlanned />
        ) : (
          <p className={styles.sum} role="status">
            <span className="number">{count(planned, 'post')} planned.</span>{' '}
            {blocked > 0 ? (
              <span className={styles.blocked}>
                {blocked} will not go out as {blocked === 1 ? 'it stands' : 'things stand'}.
              </span>
            ) : (
              <span className={styles.fine}>{planned === 1 ? 'It can' : 'All can'} go out.</span>
            )}
          </p>
        )}
        {planned > 0 && <Days days={days} />}
      </div>
      {shown.length > 0 && (
        <ul className={styles.rows} aria-label="What is foreseen">
          {shown.map((post) => (
            <Row key={post.id} post={post} />
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <button type="button" className={styles.more} onClick={() => setIsOpen(true)}>
          {hidden} more
        </button>
      )}
      {later.map((post) => (
        <LaterRow key={post.id} post={post} />
      ))}
      {planned > 0 && unknown.length > 0 && (
        <p className={styles.unknown}>
          <CircleHelp size={16} aria-hidden="true" />
          {joinWithAnd(unknown)} {unknown.length === 1 ? 'gives' : 'give'} no end date for a sign-in. We look again
          every day.
        </p>
      )}
    </Section>
  );
};

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `16 Nov – 15 Dec` */
const rangeOf = (days: ForecastOverview['days']) => {
  const [first, last] = [days[0], days.at(-1)];
  return (
    first && last && dayFormat.formatRange(new Date(`${first.date}T12:00:00Z`), new Date(`${last.date}T12:00:00Z`))
  );
};

const NothingPlanned = () => {
  const zone = useZone();
  const { canWrite } = usePermissions();
  const slot = useNextSlot([], { enabled: canWrite });
  return (
    <p className="text-2">
      Nothing planned yet.{' '}
      {slot !== undefined && (
        <Link to="/posts/$id" params={{ id: 'new' }} search={{ at: slot }}>
          Write for {formatShort(slot, zone)}
        </Link>
      )}
    </p>
  );
};

const mostMarks = 4;
const weekdays = ['S', 'M', 'T', 'W', 'T', 'F', 'S'];

/** A picture of the numbers above it, so screen readers skip it. */
const Days = ({ days }: { days: ForecastOverview['days'] }) => (
  <div className={styles.days} aria-hidden="true">
    {days.map(({ date, planned, blocked }, index) => {
      const weekday = new Date(`${date}T12:00:00Z`).getUTCDay();
      const marks = Array.from({ length: Math.min(planned, mostMarks) }, (_, n) => n < Math.min(blocked, mostMarks));
      return (
        <span
          key={date}
          className={styles.day}
          data-weekend={weekday % 6 === 0 || undefined}
          data-today={index === 0 || undefined}
          data-empty={planned === 0 || undefined}
          title={`${date}: ${count(planned, 'post')}`}
        >
          <span className={styles.marks}>
            {marks.map((isBlocked, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the marks of a day have no identity
              <span key={n} className={styles.mark} data-blocked={isBlocked || undefined} />
            ))}
          </span>
          <span className={styles.date}>{Number(date.slice(8))}</span>
          <span className={styles.weekday}>{weekdays[weekday]}</span>
        </span>
      );
    })}
  </div>
);

const Row = ({ post }: { post: PostSummary }) => {
  const { networksOf } = useAccounts();
  const say = useForecastMessage();
  const [entry] = post.forecast ?? [];
  if (entry === undefined) return null;
  const Icon = forecastIcon(entry);
  const more = (post.forecast?.length ?? 0) - 1;
  return (
    <li className={styles.row} data-row={post.id}>
      {post.thumbnail ? (
        <Thumbnail {...post.thumbnail} size={40} />
      ) : (
        <span className={styles.blank}>
          <TextAlignStart size={16} aria-hidden="true" />
        </span>
      )}
      <span className={styles.what}>
        <span className={styles.name}>
          <Link to="/posts/$id" params={{ id: post.id }} data-row-link="" className="one-line" dir="auto">
            <PostTitle text={post.text} />
          </Link>
          <NetworkBadges networks={networksOf(entry.accountId ? [entry.accountId] : post.accountIds)} size={16} />
          {post.scheduledAt && <When at={post.scheduledAt} form="said" className={styles.when} />}
        </span>
        <span className={styles.why} data-level={entry.level}>
          <Icon size={16} aria-hidden="true" />
          <span>
            {say(entry)}
            {more > 0 && ` And ${more} more.`}
          </span>
        </span>
      </span>
      <span className={styles.fixes}>
        <ForecastFixes post={post} entry={entry} name={titleOf(post.text)} />
      </span>
    </li>
  );
};

const LaterRow = ({ post }: { post: PostSummary }) => {
  const say = useForecastMessage();
  const [entry] = post.forecast ?? [];
  if (entry === undefined) return null;
  const Icon = forecastIcon(entry);
  return (
    <div className={styles.later}>
      <Icon size={16} aria-hidden="true" />
      <p>
        <strong>Later:</strong> {say(entry)}{' '}
        <Link to="/posts/$id" params={{ id: post.id }} dir="auto">
          <PostTitle text={post.text} />
        </Link>
      </p>
      <span className={styles.fixes}>
        <ForecastFixes post={post} entry={entry} name={titleOf(post.text)} />
      </span>
    </div>
  );
};

/** Accounts that the forecast already asks to reconnect. */
export const useForetoldAccounts = (): ReadonlySet<string> => {
  const posts = useQuery(queries.forecast(useZone())).data?.posts ?? [];
  const isReconnect = ({ code }: ForecastEntry) => code === 'reconnect';
  return new Set(
    posts.slice(0, mostRows).flatMap(({ forecast }) =>
      blocksIn(forecast)
        .slice(0, 1)
        .filter(isReconnect)
        .flatMap(({ accountId }) => accountId ?? []),
    ),
  );
};
