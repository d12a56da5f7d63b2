import { useQuery } from '@tanstack/react-query';
import type { HistoryEntry, Post } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';

/** The times of a history entry and its change can differ by the length of the transaction. */
const toleranceMs = 1000;

/** Who last changed `theirs`, if the post's history says so. */
export const useChangeAuthor = (
  theirs: Post | undefined,
  base: Post | undefined,
): { name: string; isMe: boolean } | undefined => {
  const { user } = useSession();
  const id = theirs?.id ?? '';
  const { data } = useQuery({
    queryKey: [...keys.changes(id), theirs?.updatedAt],
    queryFn: ({ signal }) => app.listChanges({ id }, { signal }),
    enabled: theirs !== undefined,
  });
  const entry = theirs && data && lastChange(data.entries, theirs, base);
  if (!entry?.person) return undefined;
  const isMe = entry.person.id === user.id;
  const person = isMe ? 'You' : entry.person.name;
  const { client } = entry;
  // If a client made the change, name it next to the person it acted for.
  return { name: client?.name ? `${person} (${client.name})` : person, isMe };
};

const lastChange = (entries: readonly HistoryEntry[], theirs: Post, base: Post | undefined) => {
  const isSinceBase = base !== undefined && base.updatedAt !== theirs.updatedAt;
  const after = isSinceBase ? Date.parse(base.updatedAt) : Date.parse(theirs.updatedAt) - toleranceMs;
  return entries.find(({ kind, at }) => changeKinds.includes(kind) && Date.parse(at) > after);
};

const changeKinds: readonly HistoryEntry['kind'][] = ['Edited', 'Scheduled', 'Unscheduled', 'Publishing'];
