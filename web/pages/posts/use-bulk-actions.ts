import { useQueryClient } from '@tanstack/react-query';
import { CalendarClock, CalendarX2, UserPlus } from 'lucide-react';
import { useMemo } from 'react';
import type { SelectedPost } from '#generated/app-client';
import { type BulkOutcome, runBulk } from '#web/parts/bulk.ts';
import { count } from '#web/parts/number.ts';

/** Each has Undo, which brings back what the posts had before. */
export const useBulkActions = () => {
  const client = useQueryClient();
  return useMemo(() => {
    const refresh = async (work: Promise<BulkOutcome>) => {
      const outcome = await work;
      await client.invalidateQueries({ queryKey: ['posts'] });
      return outcome;
    };
    const among = (posts: readonly SelectedPost[], ids: readonly string[]) =>
      posts.filter(({ id }) => ids.includes(id));
    const timesOf = (posts: readonly SelectedPost[]) =>
      new Map(posts.map(({ id, scheduledAt = '' }) => [id, scheduledAt]));

    const unschedule = (posts: readonly SelectedPost[]) =>
      refresh(
        runBulk({
          change: 'Unschedule',
          posts,
          doing: 'Unscheduling',
          doneText: (number) =>
            `${count(number, 'post')} unscheduled. ${number === 1 ? 'It is a draft' : 'They are drafts'} again.`,
          notDone: 'not unscheduled',
          icon: CalendarX2,
          onUndo: (done) =>
            refresh(
              runBulk({
                change: 'Schedule',
                posts: among(posts, done),
                times: timesOf(posts),
                doing: 'Scheduling',
                doneText: (number) => `${count(number, 'post')} scheduled again`,
                notDone: 'not scheduled again',
                icon: CalendarClock,
              }),
            ),
        }),
      );

    const move = (posts: readonly SelectedPost[], times: ReadonlyMap<string, string>) =>
      refresh(
        runBulk({
          change: 'Move',
          posts,
          times,
          doing: 'Moving',
          doneText: (number) => `${count(number, 'post')} moved`,
          notDone: 'not moved',
          icon: CalendarClock,
          onUndo: (done) =>
            refresh(
              runBulk({
                change: 'Move',
                posts: among(posts, done),
                times: timesOf(posts),
                doing: 'Moving back',
                doneText: (number) => `${count(number, 'post')} moved back`,
                notDone: 'not moved back',
                icon: CalendarClock,
              }),
            ),
        }),
      );

    const addAccount = (posts: readonly SelectedPost[], accountId: string, name: string) => {
      // Undo must not take an account away from a post that had it before.
      const without = posts.filter(({ accountIds }) => !accountIds.includes(accountId));
      return refresh(
        runBulk({
          change: 'AddAccount',
          posts: without,
          accountId,
          doing: 'Adding the account:',
          doneText: (number) => `${name} added to ${count(number, 'post')}`,
          notDone: 'not changed',
          icon: UserPlus,
          onUndo: (done) =>
            refresh(
              runBulk({
                change: 'RemoveAccount',
                posts: among(without, done),
                accountId,
                doing: 'Removing the account:',
                doneText: (number) => `${name} removed from ${count(number, 'post')}`,
                notDone: 'not changed',
                icon: UserPlus,
              }),
            ),
        }),
      );
    };

    return { unschedule, move, addAccount };
  }, [client]);
};
