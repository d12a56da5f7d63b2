import type { Issue } from '#contracts/errors';
import { instantOf } from '#contracts/instant';
import type { ForecastCode, ForecastEntry, ForecastFix } from '#contracts/posts';
import type { Slots } from '#contracts/slots';
import { hourMs, minuteMs } from '#contracts/time';
import type { Plan } from '#server/access/plans/table';
import { shorten } from '#server/base/shorten';
import type { AccountOutlook } from '#server/connecting/accounts/outlook';
import type { ClockChange } from './clock-changes.ts';

/** A scheduled post, for the accounts that do not have it yet. */
export interface PlannedPost {
  readonly id: string;
  readonly atMs: number;
  readonly accountIds: readonly string[];
  readonly text: string;
}

/** A post that goes out in the same minute. */
export type MinutePost = Pick<PlannedPost, 'id' | 'atMs' | 'text'>;

/** Everything that the rules look at. */
export interface Situation {
  readonly nowMs: number;
  readonly accounts: ReadonlyMap<string, AccountOutlook>;
  /** Broken limits by post id. */
  readonly issues: ReadonlyMap<string, readonly Issue[]>;
  readonly posts: readonly PlannedPost[];
  /** For posts beyond the limit of a network: when there is room again, by `limitKey`. */
  readonly fullUntilMs: ReadonlyMap<string, number>;
  /** The first two posts of each minute of an account, by `minuteKey`. Without minutes that have begun. */
  readonly minutes: ReadonlyMap<string, readonly MinutePost[]>;
  /** When an account last refused a post for lack of a permission, by account id. */
  readonly refusedPermissions: ReadonlyMap<string, string>;
  readonly plan: Pick<Plan, 'name' | 'paidNetworks' | 'scheduledPerMonth' | 'paidPostsPerMonth'> & {
    readonly used: { readonly scheduled: number; readonly paidPosts: number };
  };
  readonly slots: Slots;
  readonly clockChanges: readonly ClockChange[];
  readonly deleteAt: string | undefined;
}

export interface Rule {
  readonly code: ForecastCode;
  /** Applies however far ahead the post is. Other rules cover only the next 30 days. */
  readonly isCertain?: true;
  /** Another notification already reports it. */
  readonly isToldElsewhere?: true;
  /** About an account, so people get one notification for all its posts. */
  readonly isOfAccount?: true;
  /** Prepares the rule for one situation, so that work shared by all posts is done once. */
  in(situation: Situation): (post: PlannedPost) => readonly Finding[];
}

type Finding = Omit<ForecastEntry, 'code'>;

/** `2026-11-24 10:00 UTC`: the app shows it in the zone of the reader. */
const formatInstant = (instant: string | number) =>
  `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
const toInstant = (time: string | number) => instantOf(new Date(time));
const moveTo = (ms: number): ForecastFix => ({ kind: 'MoveTo', at: toInstant(ms) });
const reconnect: ForecastFix = { kind: 'Reconnect' };
const leaveOut = (post: PlannedPost): ForecastFix[] => (post.accountIds.length > 1 ? [{ kind: 'LeaveOut' }] : []);
const about = ({ id, network }: AccountOutlook) => ({ accountId: id, provider: network.name });
const quote = (text: string) => {
  const [first = ''] = text.split('\n');
  return first === '' ? 'Another post' : `“${shorten(first, 40)}”`;
};

/** A rule that looks at each account of a post by itself. */
const perAccount =
  (
    find: (account: AccountOutlook, post: PlannedPost, situation: Situation) => Omit<Finding, 'accountId'> | undefined,
  ) =>
  (situation: Situation) =>
  (post: PlannedPost) =>
    post.accountIds.flatMap((id) => {
      const account = situation.accounts.get(id);
      const finding = account && find(account, post, situation);
      return finding ? [{ ...about(account), ...finding }] : [];
    });

const isUsable = ({ status }: AccountOutlook) => status === 'Connected';

export const rules: readonly Rule[] = [
  {
    code: 'workspace_deletion',
    isCertain: true,
    isToldElsewhere: true,
    in: ({ deleteAt }) => {
      if (deleteAt === undefined) return () => [];
      const finding: Finding = {
        level: 'Blocks',
        short: 'the workspace is being deleted',
        message: `The workspace is deleted on ${formatInstant(deleteAt)}, and nothing is published from it until then.`,
        at: deleteAt,
        fixes: [{ kind: 'KeepWorkspace' }],
      };
      return () => [finding];
    },
  },
  {
    code: 'disconnected',
    isOfAccount: true,
    in:
      ({ accounts }) =>
      (post) =>
        post.accountIds.flatMap((accountId) => {
          const account = accounts.get(accountId);
          if (account && account.status !== 'Disconnected') return [];
          return [
            {
              accountId,
              ...(account && { provider: account.network.name }),
              level: 'Blocks' as const,
              short: 'account disconnected',
              message: account
                ? `${account.name} on ${account.network.name} was disconnected.`
                : 'An account of this post was disconnected.',
              fixes: leaveOut(post),
            },
          ];
        }),
  },
  {
    code: 'reconnect',
    isOfAccount: true,
    isToldElsewhere: true,
    in: perAccount(({ status, network, name }, post) =>
      status === 'NeedsReconnect'
        ? {
            level: 'Blocks',
            short: 'needs a new sign-in',
            message: `${network.name} no longer accepts our access to ${name}.`,
            fixes: [reconnect, ...leaveOut(post)],
          }
        : undefined,
    ),
  },
  {
    code: 'sign_in_ends',
    isOfAccount: true,
    in: perAccount((account, post, { nowMs }) => {
      if (!isUsable(account)) return undefined;
      const { network, name, signInEndsAt, refusal } = account;
      if (refusal?.kind === 'token') {
        return {
          level: 'Blocks',
          short: 'sign-in refused',
          message: `${network.name} refused our access to ${name} on ${formatInstant(refusal.at)}.`,
          at: refusal.at,
          fixes: [reconnect, ...leaveOut(post)],
        };
      }
      if (signInEndsAt === undefined || Date.parse(signInEndsAt) > post.atMs) return undefined;
      const beforeEnd = Math.floor((Date.parse(signInEndsAt) - hourMs) / hourMs) * hourMs;
      return {
        level: 'Blocks',
        short: 'sign-in ends',
        message: `The sign-in of ${name} on ${network.name} ends on ${formatInstant(signInEndsAt)}, before the post.`,
        at: toInstant(signInEndsAt),
        fixes: [reconnect, ...(beforeEnd > nowMs + hourMs ? [moveTo(beforeEnd)] : []), ...leaveOut(post)],
      };
    }),
  },
  {
    code: 'permission',
    isOfAccount: true,
    in: perAccount((account, post, { refusedPermissions }) => {
      if (!isUsable(account)) return undefined;
      const { id, network, name, canPublish, refusal, connectedAt } = account;
      const fixes = [reconnect, ...leaveOut(post)];
      if (!canPublish) {
        const [permission = ''] = network.publishPermissions ?? [];
        const message = `${name} was connected without the permission to publish (${network.name} calls it ${permission}).`;
        return { level: 'Blocks', short: 'permission missing', message, fixes };
      }
      const refusedAt = refusal?.kind === 'permission' ? refusal.at : refusedPermissions.get(id);
      if (refusedAt === undefined || refusedAt < connectedAt) return undefined;
      const message = `${network.name} said on ${formatInstant(refusedAt)} that ${name} lacks a permission. It may refuse this post too.`;
      return { level: 'Warns', short: 'permission refused', message, at: refusedAt, fixes };
    }),
  },
  ...(['limit', 'media'] as const).map(
    (code): Rule => ({
      code,
      in:
        ({ issues, accounts }) =>
        (post) => {
          const all = issues.get(post.id) ?? [];
          if (all.length === 0) return [];
          return post.accountIds.flatMap((accountId) => {
            const account = accounts.get(accountId);
            const own = all.filter((issue) => issue.accountId === accountId && codeOf(issue) === code);
            const [first] = own;
            if (first === undefined || account === undefined || account.status === 'Disconnected') return [];
            const more = own.length > 1 ? ` And ${own.length - 1} more.` : '';
            const [value] = first.fix?.values ?? [];
            const option: ForecastFix[] =
              first.fix && value !== undefined ? [{ kind: 'SetOption', key: first.fix.key, value }] : [];
            return [
              {
                ...about(account),
                level: 'Blocks' as const,
                short: code === 'media' ? 'media does not fit' : 'breaks a limit',
                message: `${first.message}${more}`,
                fixes: [...(own.length === 1 ? option : []), ...leaveOut(post)],
              },
            ];
          });
        },
    }),
  ),
  {
    code: 'network_quota',
    in: perAccount(({ id, network }, post, { fullUntilMs }) => {
      const untilMs = fullUntilMs.get(limitKey(post.id, id));
      if (untilMs === undefined || network.postQuota === undefined) return undefined;
      const { posts, hours } = network.postQuota;
      // A post waits up to a day for its network, so with a shorter quota window it is late but not lost.
      const isLate = hours < 24;
      return {
        level: isLate ? 'Warns' : 'Blocks',
        short: isLate ? 'goes out late' : 'daily limit reached',
        message: `${network.name} takes ${posts} posts in ${hours} hours, all apps together. Full until ${formatInstant(untilMs)}.`,
        at: toInstant(untilMs),
        fixes: [moveTo(Math.ceil((untilMs + minuteMs) / (10 * minuteMs)) * 10 * minuteMs), ...leaveOut(post)],
      };
    }),
  },
  {
    code: 'plan',
    in: ({ plan, accounts }) => {
      const { used, scheduledPerMonth, paidPostsPerMonth } = plan;
      const stays = 'It goes out as it is scheduled, but a change of it may be refused.';
      const isOver = scheduledPerMonth !== null && used.scheduled > scheduledPerMonth;
      const isPaidOver = paidPostsPerMonth !== null && used.paidPosts > paidPostsPerMonth;
      return ({ accountIds }) => {
        const paid = accountIds.flatMap((id) => accounts.get(id) ?? []).find(({ network }) => network.paidPerPost);
        const which =
          paid && !plan.paidNetworks
            ? `does not cover ${paid.network.name}`
            : paid && isPaidOver
              ? `covers ${paidPostsPerMonth} posts of this month on ${paid.network.name}, and ${used.paidPosts} are counted`
              : isOver
                ? `covers ${scheduledPerMonth} scheduled posts of this month, and ${used.scheduled} are counted`
                : undefined;
        if (which === undefined) return [];
        const message = `The ${plan.name} plan of this workspace ${which}. ${stays}`;
        return [{ level: 'Warns', short: 'beyond the plan', message }];
      };
    },
  },
  {
    code: 'same_minute',
    in:
      ({ minutes }) =>
      (post) => {
        const clash = clashOf(post, minutes);
        if (clash === undefined) return [];
        const other = clash.find(({ id }) => id !== post.id);
        // Suggest another time only for the later posts; the first one can stay.
        const isFirst = clash[0]?.id === post.id;
        const freeMs = laterTimes(post.atMs).find((atMs) =>
          post.accountIds.every((accountId) => !minutes.has(minuteKey(accountId, atMs))),
        );
        return [
          {
            level: 'Warns',
            short: 'two in one minute',
            message: `${quote(other?.text ?? '')} goes out to the same account in the same minute.`,
            fixes: isFirst || freeMs === undefined ? [] : [moveTo(freeMs)],
          },
        ];
      },
  },
  {
    code: 'clock_change',
    isCertain: true,
    in:
      ({ clockChanges, slots }) =>
      ({ atMs }) => {
        const change = clockChanges.find((one) => Math.abs(one.atMs - atMs) <= Math.abs(one.byMs));
        if (change === undefined) return [];
        const at = toInstant(change.atMs);
        const wall = (offsetMs: number) => new Date(atMs + offsetMs).toISOString();
        const date = wall(change.beforeMs).slice(0, 10);
        const time = (offsetMs: number) => wall(offsetMs).slice(11, 16);
        if (change.byMs < 0) {
          const isFirst = atMs < change.atMs;
          if (atMs < change.atMs + change.byMs || atMs >= change.atMs - change.byMs) return [];
          const shown = time(isFirst ? change.beforeMs : change.beforeMs + change.byMs);
          const message = `On ${date} the clock goes back, and ${shown} comes twice. The post goes out the ${isFirst ? 'first' : 'second'} time.`;
          // The same minutes in the nearest hour that occurs only once.
          const onceMs = isFirst ? atMs - 2 * change.byMs : atMs - change.byMs;
          return [{ level: 'Warns', short: 'the clock goes back', message, at, fixes: [moveTo(onceMs)] }];
        }
        if (atMs < change.atMs || atMs >= change.atMs + change.byMs) return [];
        const skipped = time(change.beforeMs);
        const weekday = new Date(atMs + change.beforeMs).getUTCDay() || 7;
        // Only a slot at the skipped time shows that the post was moved. Any other post has the time that was chosen.
        if (!slots.slots.some((slot) => slot.time === skipped && slot.days.includes(weekday))) return [];
        const message = `On ${date} the clock skips ${skipped}. The post of this slot goes out at ${time(change.beforeMs + change.byMs)}.`;
        const fixes = [moveTo(change.atMs - 5 * minuteMs)];
        return [{ level: 'Warns', short: 'the clock goes forward', message, at, fixes }];
      },
  },
  {
    code: 'api_version',
    isOfAccount: true,
    in: perAccount(({ network, api: { version = '', endsOn, setting } }, post) => {
      if (endsOn === undefined || Date.parse(endsOn) > post.atMs) return undefined;
      const other = setting === undefined ? '' : ` Whoever runs this server chooses another with ${setting}.`;
      return {
        level: 'Warns',
        short: 'API version ends',
        message: `The version ${version} of ${network.name}'s API ends on ${endsOn}, and may refuse this post.${other}`,
        at: toInstant(endsOn),
      };
    }),
  },
];

const codeOf = ({ code, path }: Issue): ForecastCode | undefined => {
  if (code === 'AccountGone') return undefined;
  return /^(Media|Video|Audio|FrameRate|Alt)/.test(code) || /\.media(\.\d+)?$/.test(path) ? 'media' : 'limit';
};

export const limitKey = (postId: string, accountId: string) => `${postId} ${accountId}`;

export const minuteOf = (atMs: number) => Math.floor(atMs / minuteMs) * minuteMs;
export const minuteKey = (accountId: string, atMs: number) => `${accountId} ${minuteOf(atMs)}`;

/** The first posts of a minute that the post shares with others, on the first of its accounts where it does. */
export const clashOf = (
  { accountIds, atMs }: Pick<PlannedPost, 'accountIds' | 'atMs'>,
  minutes: Situation['minutes'],
): readonly MinutePost[] | undefined =>
  accountIds.flatMap((accountId) => {
    const posts = minutes.get(minuteKey(accountId, atMs)) ?? [];
    return posts.length > 1 ? [posts] : [];
  })[0];

/** Times that may be free for a post that shares its minute. */
export const laterTimes = (atMs: number) => Array.from({ length: 12 }, (_, n) => atMs + (n + 1) * 5 * minuteMs);

/** Blocking entries first. */
export const inOrder = (entries: readonly ForecastEntry[]): ForecastEntry[] =>
  entries.toSorted((a, b) => Number(a.level === 'Warns') - Number(b.level === 'Warns'));
