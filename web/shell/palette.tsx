import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PostSummary } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { faultOf } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { formatNear } from '#web/base/time.ts';
import { Kbd } from '#web/parts/kbd.tsx';
import { type PaletteCommand, setPaletteShown, usePaletteCalls } from '#web/parts/palette-store.ts';
import { useDeleted } from '#web/parts/post-actions.ts';
import { PostTitle } from '#web/parts/post-title.tsx';
import { StateIcon, stateOf } from '#web/parts/state-chip.tsx';
import styles from './palette.module.css';
import { usePaletteCommands } from './use-palette-commands.ts';

const [store, spotlight] = createSpotlight();
const typingMs = 150;
const mostPosts = 6;

interface Row {
  readonly id: string;
  readonly run: () => unknown;
  readonly inside: React.ReactNode;
}

export default function Palette({ onHelp }: { onHelp: () => void }) {
  const calls = usePaletteCalls();
  const { query, opened } = useSpotlight(store);
  const [isLeaving, setIsLeaving] = useState(false);
  useEffect(() => {
    if (calls > 0) spotlight.toggle();
  }, [calls]);
  const groups = usePaletteCommands(onHelp, opened);
  const posts = usePosts(query, opened);
  const matches = groups.map(({ title, commands }) => ({
    title,
    rows: commands.filter(matchesQuery(query)).map(rowOf),
  }));
  const [doing, ...others] = matches;
  const visible = [
    ...(doing ? [doing] : []),
    { title: query.trim() === '' ? 'Recent posts' : 'Posts', rows: posts.rows },
    ...others,
  ].filter(({ rows }) => rows.length > 0);
  const rows = visible.flatMap((group) => group.rows);
  const chosen = useChosen(rows, `${opened} ${query}`);

  const run = (row: Row) => {
    // The command moves the focus itself.
    setIsLeaving(true);
    setTimeout(row.run, 0);
  };
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      size={600}
      yOffset="12vh"
      centered={false}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      transitionProps={{ duration: 120, transition: 'fade' }}
      returnFocus={!isLeaving}
      onSpotlightOpen={() => setIsLeaving(false)}
      onSpotlightClose={() => void setPaletteShown(false)}
      classNames={{ content: styles.content, search: styles.search, actionsList: styles.list }}
      aria-label="Search or jump to"
    >
      <Spotlight.Search
        placeholder="Search or jump to"
        aria-label="Search or jump to"
        leftSection={<Search size={18} strokeWidth={1.75} aria-hidden="true" />}
        role="combobox"
        aria-expanded
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={chosen && idOf(chosen)}
        maxLength={200}
        onFocus={() => {
          const typed = setPaletteShown(true);
          if (typed !== '') store.setState((state) => ({ ...state, query: typed }));
        }}
      />
      <Spotlight.ActionsList id="palette-list" role="listbox" aria-label="Found">
        {visible.map((group) => (
          <Spotlight.ActionsGroup key={group.title} className={styles.group} role="group" aria-label={group.title}>
            <div className={styles.title} aria-hidden="true">
              {group.title}
            </div>
            {group.rows.map((row) => (
              <Option key={row.id} row={row} isSelected={chosen === row} onRun={() => run(row)} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {rows.length === 0 && (
          <div className={styles.empty}>
            {posts.isPending ? 'Searching…' : posts.error ? faultOf(posts.error).message : 'Nothing found.'}
          </div>
        )}
      </Spotlight.ActionsList>
      <div className={`desk-only ${styles.foot}`}>
        <span className="inline">
          <Kbd keys="↑ ↓" /> move
        </span>
        <span className="inline">
          <Kbd keys="↵" /> open
        </span>
        <span className="inline">
          <Kbd keys="Esc" /> close
        </span>
      </div>
    </Spotlight.Root>
  );
}

/** The row that Enter runs: the first for a new query, then the same one, even if later results appear above it. */
const useChosen = (rows: readonly Row[], searchKey: string) => {
  const { selected } = useSpotlight(store);
  const before = useRef<{ searchKey: string; list: string; id: string | undefined }>(undefined);
  const list = rows.map(({ id }) => id).join(' ');
  const isNew = before.current?.searchKey !== searchKey;
  const isMoved = !isNew && before.current?.list !== list;
  const previous = isMoved ? rows.findIndex(({ id }) => id === before.current?.id) : selected;
  const index = isNew || previous < 0 || previous >= rows.length ? 0 : previous;
  const chosen = rows[index];
  useLayoutEffect(() => {
    before.current = { searchKey, list, id: chosen?.id };
    if (selected !== index) store.updateState((state) => ({ ...state, selected: index }));
    // Spotlight sets data-selected in the DOM and does not move it with the rows.
    for (const [place, row] of document.querySelectorAll('#palette-list [data-action]').entries()) {
      row.toggleAttribute('data-selected', place === index);
    }
  });
  return chosen;
};

const idOf = ({ id }: Row) => `palette ${id}`.replaceAll(' ', '-');

const Option = ({ row, isSelected, onRun }: { row: Row; isSelected: boolean; onRun: () => void }) => (
  <Spotlight.Action
    // Spotlight drops `id`, which aria-activedescendant needs.
    ref={(element: HTMLButtonElement | null) => element?.setAttribute('id', idOf(row))}
    className={styles.act}
    role="option"
    aria-selected={isSelected}
    onClick={onRun}
  >
    {row.inside}
  </Spotlight.Action>
);

/** Every word of the query must match. */
const matchesQuery =
  (query: string) =>
  ({ label, words = '' }: PaletteCommand) =>
    hasWords(query, `${label} ${words}`);

const hasWords = (query: string, text: string) =>
  query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));

const rowOf = ({ id, label, icon: Icon, keys: own, hint, run }: PaletteCommand): Row => ({
  id,
  run,
  inside: (
    <>
      <Icon size={17} strokeWidth={1.75} aria-hidden="true" />
      <span className="one-line grow" dir="auto">
        {label}
      </span>
      {hint && <span className={styles.hint}>{hint}</span>}
      {own && <Kbd keys={own} />}
    </>
  ),
});

/** Matching posts, last edited first; without a query the recent ones. */
const usePosts = (query: string, enabled: boolean) => {
  const zone = useZone();
  const navigate = useNavigate();
  const deleted = useDeleted();
  const [typed] = useDebouncedValue(query.trim(), typingMs);
  const input = { group: 'Recent', query: typed } as const;
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: keys.search(input),
    queryFn: ({ signal }) => app.searchPosts(input, { signal }),
    enabled,
    placeholderData: (before) => before,
  });
  // Results of the previous query must match this one too, or Enter would open the wrong post.
  const isBehind = isPlaceholderData || typed !== query.trim();
  const rows = (data?.posts ?? [])
    .filter(({ id, text }) => !deleted.has(id) && (!isBehind || hasWords(query, text ?? '')))
    .slice(0, mostPosts)
    .map(
      (post): Row => ({
        id: post.id,
        run: () => navigate({ to: '/posts/$id', params: { id: post.id } }),
        inside: <PostLine post={post} zone={zone} />,
      }),
    );
  return { rows, error, isPending: isFetching || typed !== query.trim() };
};

const PostLine = ({ post, zone }: { post: PostSummary; zone: string }) => (
  <>
    <StateIcon state={stateOf(post)} size={17} />
    <span className="one-line grow" dir="auto">
      <PostTitle text={post.text} />
    </span>
    <span className={styles.hint}>{formatNear(post.publishedAt ?? post.scheduledAt ?? post.updatedAt, zone)}</span>
  </>
);
