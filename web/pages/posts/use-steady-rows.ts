import { useRef, useState } from 'react';
import type { PostSummary } from '#generated/app-client';
import { type Group, type GroupName, rowsOf } from './use-groups.ts';

interface CurrentRows {
  key: string;
  groups: Map<GroupName, { ids: readonly string[]; pages: number }>;
}

/**
 * Rows keep their order while the person looks at them. New rows wait until they are requested; further pages and the
 * person's own posts appear at once. `key` identifies the list.
 */
export const useSteadyRows = (groups: readonly Group[], key: string) => {
  const displayed = useRef<CurrentRows>({ key: '', groups: new Map() });
  const own = useRef(new Set<string>());
  const [, renew] = useState(0);
  if (displayed.current.key !== key) displayed.current = { key, groups: new Map() };

  const byId = new Map<string, PostSummary>(groups.flatMap((group) => rowsOf(group).map((post) => [post.id, post])));
  const shown = new Set([...displayed.current.groups.values()].flatMap(({ ids }) => ids));
  let waiting = 0;
  const rows = groups.map((group) => {
    const fresh = rowsOf(group).map(({ id }) => id);
    const before = displayed.current.groups.get(group.name);
    const merged = mergeRows(fresh, before?.ids, {
      isShown: (id) => shown.has(id),
      isOwn: (id) => own.current.has(id),
      hasGrown: group.pages > (before?.pages ?? 0),
    });
    if (group.posts !== undefined) displayed.current.groups.set(group.name, { ids: merged.ids, pages: group.pages });
    waiting += merged.waiting;
    return { group, posts: merged.ids.flatMap((id) => byId.get(id) ?? []) };
  });

  return {
    rows,
    /** Number of new rows that wait. */
    waiting,
    showWaiting: () => {
      displayed.current = { key: '', groups: new Map() };
      renew((times) => times + 1);
    },
    /** Shows posts that this person created, without waiting. */
    admit: (ids: readonly string[]) => {
      for (const id of ids) own.current.add(id);
      // The refetch may already have brought them.
      renew((times) => times + 1);
    },
  };
};

/** `fresh`: order on the server; `before`: order on the page. */
const mergeRows = (
  fresh: readonly string[],
  before: readonly string[] | undefined,
  {
    isShown,
    isOwn,
    hasGrown,
  }: {
    isShown: (id: string) => boolean;
    isOwn: (id: string) => boolean;
    /** A page was added: rows after the last known one belong to it. */
    hasGrown: boolean;
  },
): { ids: readonly string[]; waiting: number } => {
  const unseen = fresh.filter((id) => !isShown(id));
  if (before === undefined || unseen.some(isOwn)) return { ids: fresh, waiting: 0 };
  const shownBefore = new Set(before);
  const lastKnown = fresh.findLastIndex((id) => shownBefore.has(id));
  const next = !hasGrown ? [] : unseen.filter((id) => fresh.indexOf(id) > lastKnown);
  return { ids: [...before, ...next], waiting: unseen.length - next.length };
};
