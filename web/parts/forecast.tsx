import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import {
  CalendarClock,
  CalendarX2,
  CircleHelp,
  Clock4,
  Film,
  Gauge,
  KeyRound,
  type LucideIcon,
  Ruler,
  Unplug,
} from 'lucide-react';
import { useState } from 'react';
import type { PostSummary } from '#generated/app-client';
import type { OptionKey } from '#packages/sdk/src/generated/types';
import { actions } from '#web/base/api.ts';
import { describeFailure } from '#web/base/faults.ts';
import { usePermissions, useSession, useZone } from '#web/base/session.ts';
import { inZone } from '#web/base/time.ts';
import { showIfAsked, useActLabel } from './approval-requests.ts';
import { formatShort } from './format-short.ts';
import { showToast } from './toasts.tsx';

export type ForecastEntry = NonNullable<PostSummary['forecast']>[number];
type Fix = NonNullable<ForecastEntry['fixes']>[number];
type Post = Pick<PostSummary, 'id' | 'scheduledAt'>;

const icons: Record<string, LucideIcon> = {
  sign_in_ends: KeyRound,
  reconnect: KeyRound,
  permission: KeyRound,
  disconnected: Unplug,
  limit: Ruler,
  media: Film,
  network_quota: Gauge,
  plan: Gauge,
  same_minute: Clock4,
  clock_change: Clock4,
  workspace_deletion: CalendarX2,
};

/** A code that this version does not know gets a question mark. */
export const forecastIcon = ({ code }: ForecastEntry) => icons[code] ?? CircleHelp;

export const blocksIn = (forecast: readonly ForecastEntry[] = []) => forecast.filter(({ level }) => level === 'Blocks');

export const useForecastMessage = () => {
  const zone = useZone();
  return ({ message }: ForecastEntry) => inZone(message, zone);
};

/** `Will not reach LinkedIn` */
export const forecastTitle = ({ level, provider, short }: ForecastEntry) => {
  if (level === 'Warns') return short.charAt(0).toUpperCase() + short.slice(1);
  return provider === undefined ? 'Will not go out' : `Will not reach ${provider}`;
};

/** `2 of 3 will fail`; undefined when nothing blocks it. */
export const describeBlocked = ({
  accountIds,
  forecast,
}: {
  readonly accountIds: readonly string[];
  readonly forecast?: readonly ForecastEntry[] | undefined;
}) => {
  const blocks = blocksIn(forecast);
  if (blocks.length === 0) return undefined;
  const blocked = new Set(blocks.flatMap(({ accountId }) => accountId ?? []));
  const isWhole = blocks.some(({ accountId }) => accountId === undefined) || blocked.size >= accountIds.length;
  return isWhole ? 'Will fail' : `${blocked.size} of ${accountIds.length} will fail`;
};

/** Applies a fix to a post and shows a toast with Undo. */
const useMend = () => {
  const client = useQueryClient();
  return async ({ id }: Post, { accountId }: ForecastEntry, fix: Fix, doneText: string) => {
    try {
      const before = await actions.posts.get({ id });
      const { versions, accountIds, updatedAt: baseUpdatedAt, scheduledAt } = before;
      const after = await (fix.kind === 'SetOption'
        ? actions.posts.setOption({ id, key: (fix.key ?? '') as OptionKey, value: fix.value ?? '', baseUpdatedAt })
        : fix.kind === 'MoveTo'
          ? actions.posts.update({ id, accountIds, versions, scheduledAt: fix.at ?? '', baseUpdatedAt })
          : actions.posts.update({
              id,
              accountIds: accountIds.filter((one) => one !== accountId),
              versions: versions.filter((version) => version.accountId !== accountId),
              scheduledAt: scheduledAt ?? '',
              baseUpdatedAt,
            }));
      const undo = async () => {
        await actions.posts.update({
          id,
          accountIds,
          versions,
          scheduledAt: scheduledAt ?? '',
          baseUpdatedAt: after.updatedAt,
        });
        await client.invalidateQueries({ queryKey: ['posts'] });
      };
      const refuse = (error: unknown) =>
        showToast({ tone: 'red', icon: CalendarX2, text: describeFailure(error, 'Not taken back.') });
      showToast({
        icon: CalendarClock,
        text: doneText,
        action: { label: 'Undo', onClick: () => void undo().catch(refuse) },
      });
    } catch (error) {
      if (!showIfAsked(error))
        showToast({ tone: 'red', icon: CalendarX2, text: describeFailure(error, 'Not changed.') });
    }
    await client.invalidateQueries({ queryKey: ['posts'] });
  };
};

/** Offers at most two fixes, out of those that this person may use. */
export const ForecastFixes = ({ post, entry, name }: { post: Post; entry: ForecastEntry; name: string }) => {
  const mend = useMend();
  const zone = useZone();
  const { canWrite, canManage } = usePermissions();
  const isOwner = useSession().workspace?.role === 'owner';
  const [running, setRunning] = useState<string>();
  const usable = (entry.fixes ?? [])
    .filter(({ kind }) => (kind === 'Reconnect' ? canManage : kind === 'KeepWorkspace' ? isOwner : canWrite))
    .slice(0, 2);
  const labelFor = useActLabel();
  const textOf = (fix: Fix): { label: string; done: string; link?: LinkProps } => {
    if (fix.kind === 'Reconnect') return { label: 'Reconnect now', done: '', link: { to: '/accounts' } };
    if (fix.kind === 'KeepWorkspace') return { label: 'Keep it', done: '', link: { to: '/settings/workspace' } };
    if (fix.kind === 'MoveTo') {
      const at = formatShort(fix.at ?? '', zone);
      return { label: labelFor(`Move to ${at}`), done: `Moved to ${at}.` };
    }
    if (fix.kind === 'LeaveOut') {
      const where = entry.provider ?? 'the account';
      return { label: labelFor(`Leave out ${where}`), done: `${where} is left out.` };
    }
    return { label: labelFor('Make it fit'), done: 'It is made to fit.' };
  };
  return usable.map((fix, index) => {
    const { label, done, link } = textOf(fix);
    const shared = {
      size: 'xs',
      variant: index === 0 ? 'default' : 'quiet',
      'aria-label': `${label}: ${name}`,
    } as const;
    if (link) {
      return (
        <Button key={fix.kind} {...shared} renderRoot={(props) => <Link {...link} {...props} />}>
          {label}
        </Button>
      );
    }
    const run = async () => {
      setRunning(fix.kind);
      await mend(post, entry, fix, done);
      setRunning(undefined);
    };
    return (
      <Button key={fix.kind} {...shared} loading={running === fix.kind} onClick={() => void run()}>
        {label}
      </Button>
    );
  });
};
