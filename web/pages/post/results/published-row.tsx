import { Fragment } from 'react';
import type { MetricsEntry } from '#generated/app-client';
import { useZone } from '#web/base/session.ts';
import { formatDay, formatTime, now, wallTime } from '#web/base/time.ts';
import { formatNumber } from '#web/parts/number.ts';
import { ReconnectNote } from '#web/parts/results/reconnect.tsx';
import { ResultRow } from '#web/parts/results/result-row.tsx';
import { webAddress } from '#web/parts/results/summary-of.ts';
import type { Reads, Target } from '#web/parts/results/target.ts';
import { Sparkline } from '#web/parts/sparkline.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { When } from '#web/parts/when.tsx';
import { engagementOf, readEngagement } from './engagement.ts';
import styles from './published-row.module.css';

/** `most`: the highest engagement of any account, to which the bars on a phone are scaled. */
export const PublishedRow = ({ target, most }: { target: Target; most: number }) => {
  const { provider, result, entry } = target;
  const zone = useZone();
  const isPhone = useIsPhone();
  const engagement = readEngagement(target);
  const publishedAt = result?.publishedAt ?? entry?.publishedAt;
  const url = webAddress(result?.url);
  return (
    <ResultRow
      target={target}
      line={
        <>
          {publishedAt && <time dateTime={publishedAt}>{wallTime(publishedAt, zone).slice(11)}</time>}
          {publishedAt && url && ' · '}
          {url && (
            <a href={url} target="_blank" rel="noreferrer">
              Open on {provider}
            </a>
          )}
          {!publishedAt && !url && 'Confirmed by a person.'}
          {result?.note && <span className={styles.note}>{result.note}</span>}
        </>
      }
      side={
        <>
          {isPhone && engagement !== undefined && <Bar share={engagement / Math.max(most, 1)} />}
          <Numbers target={target} />
        </>
      }
      figure={isPhone && engagement !== undefined ? <Figure engagement={engagement} /> : undefined}
    />
  );
};

const Bar = ({ share }: { share: number }) => (
  <span className={styles.bar} aria-hidden="true">
    <span style={{ width: `${share * 100}%` }} />
  </span>
);

const Figure = ({ engagement }: { engagement: number }) => (
  <b className="number">
    {formatNumber(engagement)}
    <span className="hidden"> engagement, Published</span>
  </b>
);

/** Numbers, or why there are none. */
const Numbers = ({ target: { account, entry, areMetricsLoaded, reads } }: { target: Target }) => {
  const zone = useZone();
  const metrics = entry?.metrics;
  const metricList = metrics ? listMetrics(metrics) : [];
  if (account?.statistics === 'Reconnect') return <ReconnectNote account={account} />;
  if (account?.statistics === 'None') return <Note>Reports no statistics</Note>;
  if (!areMetricsLoaded) return null;
  if (entry === undefined) return account && <Note>No statistics, because a person confirmed it</Note>;
  if (metricList.length === 0) {
    if (metrics?.error) return <Note title={metrics.error}>The first read failed</Note>;
    if (metrics) return <Note>Nothing reported yet</Note>;
    return entry.nextFetchAt ? (
      <Note>
        First read <When at={entry.nextFetchAt} form="said" />
      </Note>
    ) : (
      <Note>No statistics</Note>
    );
  }
  return (
    <>
      <Metrics list={metricList} />
      <div className={styles.reads}>
        <Sparkline values={curveOf(reads)} isDotted />
        <span className="caption text-2">
          {metrics?.error ? (
            <span className={styles.old} title={metrics.error}>
              Numbers from {timeOrDay(metrics.fetchedAt, zone)}; the last read failed
            </span>
          ) : entry.nextFetchAt ? (
            `next read ${timeOrDay(entry.nextFetchAt, zone)}`
          ) : (
            metrics && `read ${timeOrDay(metrics.fetchedAt, zone)}`
          )}
        </span>
      </div>
    </>
  );
};

const Note = ({ title, children }: { title?: string; children: React.ReactNode }) => (
  <span className="small text-2" title={title}>
    {children}
  </span>
);

type MetricList = readonly (readonly [name: string, value: number])[];

const Metrics = ({ list }: { list: MetricList }) => {
  const isPhone = useIsPhone();
  const labelFor = ([name, value]: MetricList[number]) => (value === 1 ? name.replace(/s$/, '') : name);
  if (isPhone) {
    return (
      <span className="small text-2 number">
        {list.map((one, index) => (
          <Fragment key={one[0]}>
            {index > 0 && ' · '}
            {formatNumber(one[1])} {labelFor(one)}
          </Fragment>
        ))}
      </span>
    );
  }
  return (
    <dl className={styles.metrics}>
      {list.map((one) => (
        <div key={one[0]}>
          <dt className="caption text-2">{labelFor(one)}</dt>
          <dd className="number">{formatNumber(one[1])}</dd>
        </div>
      ))}
    </dl>
  );
};

const names = ['views', 'likes', 'comments', 'shares', 'reach', 'quotes', 'saves', 'clicks'] as const;
const maxMetrics = 3;

const listMetrics = (metrics: NonNullable<MetricsEntry['metrics']>): MetricList =>
  names.flatMap((name) => (metrics[name] === undefined ? [] : [[name, metrics[name]] as const])).slice(0, maxMetrics);

/** Engagement over time, or views if there is none. */
const curveOf = (reads: Reads) => {
  const engagement = reads.map(engagementOf);
  return engagement.some((value) => value > 0) ? engagement : reads.map(({ views = 0 }) => views);
};

/** The time if it is within 20 hours, else the date. */
const timeOrDay = (at: string, zone: string) =>
  Math.abs(Date.parse(at) - now().getTime()) < 20 * 3_600_000 ? formatTime(at, zone) : formatDay(at, zone).slice(4);
