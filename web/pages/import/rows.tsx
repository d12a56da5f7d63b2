import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, CircleDashed, CircleX, Clock, Copy, Unplug } from 'lucide-react';
import { useRef } from 'react';
import type { ImportRow } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { useListKeys } from '#web/parts/list.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { ShowMore } from '#web/parts/show-more.tsx';
import { Chip } from '#web/parts/state-chip.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { When } from '#web/parts/when.tsx';
import styles from './import.module.css';

export const Rows = ({ id }: { id: string }) => {
  const [search, setSearch] = usePageSearch<'show'>();
  const show = search.show === 'problems' ? 'problems' : 'all';
  const query = useInfiniteQuery({
    queryKey: keys.importRows(id, show),
    queryFn: ({ signal, pageParam }) => app.listImportRows({ id, show, after: String(pageParam) }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const body = useRef<HTMLTableSectionElement>(null);
  useListKeys(body);
  return (
    <section aria-label="Rows">
      <SegmentedControl
        aria-label="Which rows"
        className={styles.filter}
        value={show}
        onChange={(value) => void setSearch({ show: value === 'all' ? undefined : value })}
        data={[
          { value: 'all', label: 'All rows' },
          { value: 'problems', label: 'Problems only' },
        ]}
      />
      <Loaded
        query={query.isFetchNextPageError ? { ...query, error: null } : query}
        title="The rows could not be loaded"
        rows={8}
        height={44}
      >
        {({ pages }) =>
          pages.every(({ rows }) => rows.length === 0) ? (
            <EmptyState icon={CircleCheck} title="No problems">
              Every row can be saved as it is.
            </EmptyState>
          ) : (
            <table className={styles.rows}>
              <thead className="phone-hidden">
                <tr>
                  <th scope="col" className={styles.right}>
                    Row
                  </th>
                  <th scope="col">State</th>
                  <th scope="col">Text</th>
                  <th scope="col">Accounts</th>
                  <th scope="col">Planned for</th>
                  <th scope="col">Notes</th>
                </tr>
              </thead>
              <tbody ref={body}>
                {pages
                  .flatMap(({ rows }) => rows)
                  .map((row) => (
                    <Row key={row.number} row={row} />
                  ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
      {query.hasNextPage && <ShowMore query={query} title="More rows could not be loaded" />}
    </section>
  );
};

const Row = ({
  row: { number, line, state, text, items, media, accountIds, scheduledAt, postId, problems, failure },
}: {
  row: ImportRow;
}) => {
  const { networksOf } = useAccounts();
  const words = (
    <span className={`one-line ${styles.text}`} dir="auto">
      {text || <em className="text-3">No text</em>}
    </span>
  );
  const more = [items > 1 && `${items} items`, media > 0 && `${media} ${media === 1 ? 'file' : 'files'}`].filter(
    Boolean,
  );
  return (
    <tr data-row={number}>
      <td className={`text-3 ${styles.right}`} title={line ? `Line ${line} of the file` : undefined}>
        {number}
      </td>
      <td>
        <RowState state={state} isBlocked={problems.some(({ blocks }) => blocks)} />
      </td>
      <td className={styles.words}>
        {postId ? (
          <Link to="/posts/$id" params={{ id: postId }} data-row-link="" className={styles.link}>
            {words}
          </Link>
        ) : (
          words
        )}
        {more.length > 0 && <span className="caption text-3">{more.join(', ')}</span>}
      </td>
      <td className={styles.badges}>
        {networksOf(accountIds).map((network, index) => (
          <NetworkBadge key={accountIds[index]} network={network} size={20} />
        ))}
      </td>
      <td className="text-2">{scheduledAt && <When at={scheduledAt} form="full" />}</td>
      <td className={styles.notes}>
        {failure && <p className={styles.trouble}>{failure}</p>}
        {problems.map(({ code, column, message, stops, blocks }) => (
          <p
            key={`${code} ${column} ${message}`}
            className={stops ? styles.trouble : blocks ? styles.blocks : 'text-2'}
          >
            <code>{column}</code> {message.slice(column.length + 1)}
          </p>
        ))}
      </td>
    </tr>
  );
};

const states = {
  Ready: { tone: 'grey', icon: CircleDashed, word: 'Ready' },
  Unmatched: { tone: 'orange', icon: Unplug, word: 'Account unknown' },
  Duplicate: { tone: 'plum', icon: Copy, word: 'Duplicate' },
  Bad: { tone: 'red', icon: CircleX, word: 'Problem' },
  Saved: { tone: 'green', icon: CircleCheck, word: 'Saved' },
  Scheduled: { tone: 'blue', icon: Clock, word: 'Scheduled' },
} as const;

/** It can be saved, but not scheduled as it is. */
const draftOnly = { tone: 'orange', icon: CircleAlert, word: 'Draft only' } as const;

const RowState = ({ state, isBlocked }: Pick<ImportRow, 'state'> & { isBlocked: boolean }) => {
  const { tone, icon, word } = state === 'Ready' && isBlocked ? draftOnly : states[state];
  return (
    <Chip tone={tone} icon={icon}>
      {word}
    </Chip>
  );
};
