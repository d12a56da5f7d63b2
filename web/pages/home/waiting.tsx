import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { ChevronRight, CircleHelp, CircleX, type LucideIcon, Stamp, Unplug } from 'lucide-react';
import type { Account, ApprovalCard, PostSummary } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { handleOf, useNetworks } from '#web/base/networks.ts';
import { keys, queries } from '#web/base/queries.ts';
import { usePermissions, useZone } from '#web/base/session.ts';
import { formatDay, now } from '#web/base/time.ts';
import { capitalize } from '#web/parts/capitalize.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { quoteHeading } from '#web/parts/post-title.tsx';
import { Section } from '#web/parts/section.tsx';
import { stateOf } from '#web/parts/state-chip.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { useOpenApprovals } from '#web/parts/use-open-approvals.ts';
import { useForetoldAccounts } from './next-days.tsx';
import styles from './today.module.css';

/** Older failures appear only in the list of posts. */
const failuresMs = 14 * 24 * 3_600_000;
const mostFailures = 5;

interface Item {
  key: string;
  tone: 'brass' | 'red' | 'plum' | 'orange';
  icon: LucideIcon;
  /** The middle part, a name or a quotation, has its own text direction. */
  title: readonly [before: string, name: string, after: string];
  text: string;
  /** Absent if this person's role cannot do it. */
  act?: { label: string; link: LinkProps; main?: boolean };
}

/** Renders nothing when nothing needs attention. */
export const Waiting = () => {
  const { open } = useOpenApprovals();
  const failures = useFailures();
  const { list } = useAccounts();
  const approvals = useQuery(queries.notificationCount).data?.approvals ?? 0;
  const words = useWords();
  const foretold = useForetoldAccounts();
  const accountsOfFailures = new Set(failures.flatMap(({ reconnects }) => reconnects));
  const items: Item[] = [
    ...groupByClient(open).map(words.asked),
    ...failures.map(({ item }) => item),
    ...list
      .filter(({ id, status }) => status === 'NeedsReconnect' && !accountsOfFailures.has(id) && !foretold.has(id))
      .map(words.refused),
    ...list.filter(({ status, statistics }) => status === 'Connected' && statistics === 'Reconnect').map(words.blind),
  ];
  if (items.length === 0) return null;
  return (
    <Section title="Waiting for you" note={approvals > 0 && `${approvals} to approve`} card>
      <ul>
        {items.map((item) => (
          <WaitingRow key={item.key} item={item} />
        ))}
      </ul>
    </Section>
  );
};

const WaitingRow = ({ item: { key, tone, icon: Icon, title, text, act } }: { item: Item }) => (
  <li className={styles.item} data-row={key}>
    <span className={styles.tile} data-tone={tone}>
      <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
    </span>
    <span className={styles.what}>
      <span className={styles.name}>
        {title[0]}
        <bdi>{title[1]}</bdi>
        {title[2]}
      </span>
      <span className="small text-2" dir="auto">
        {text}
      </span>
    </span>
    {act && (
      <>
        <Button
          size="xs"
          variant={act.main ? 'ink' : 'default'}
          data-row-link=""
          className={styles.act}
          aria-label={`${act.label}: ${title.join('')}`}
          renderRoot={(props) => <Link {...act.link} {...props} />}
        >
          {act.label}
        </Button>
        <ChevronRight className={`phone-only ${styles.chevron}`} size={18} aria-hidden="true" />
      </>
    )}
  </li>
);

/** Grouped by client, oldest first. */
const groupByClient = (cards: readonly ApprovalCard[]): ApprovalCard[][] => [
  ...Map.groupBy(cards, ({ conversation }) => conversation.id).values(),
];

const useWords = () => {
  const networks = useNetworks();
  const { canManage } = usePermissions();
  const zone = useZone();
  const reconnect = canManage ? { act: { label: 'Reconnect', link: { to: '/accounts' } as LinkProps } } : {};
  const nameOf = ({ network }: Account) => networks.of(network).name;
  return {
    asked: (cards: ApprovalCard[]): Item => {
      const [first] = cards;
      const sentences = [...new Set(cards.map((card) => requestOf(card, zone)))];
      const [sentence = ''] = sentences;
      const text = sentences.join(', ');
      return {
        key: first?.id ?? '',
        tone: 'brass',
        icon: Stamp,
        title: [
          '',
          first?.client ?? '',
          cards.length === 1 ? ` asks to ${sentence}` : ` asks for ${cards.length} things`,
        ],
        text:
          cards.length === 1
            ? first?.post
              ? quoteHeading(first.post.versions[0]?.content[0]?.body ?? '')
              : 'Open it to decide.'
            : capitalize(text),
        act: {
          label: 'Review',
          link: { to: '/approvals/$id', params: { id: first?.id ?? '' } } as LinkProps,
          main: true,
        },
      };
    },
    refused: (account: Account): Item => ({
      key: account.id,
      tone: 'red',
      icon: Unplug,
      title: ['', nameOf(account), ' needs a new sign-in'],
      text: `Posts to ${handleOf(account)} fail until ${canManage ? 'you reconnect' : 'an owner or admin reconnects'}.`,
      ...reconnect,
    }),
    blind: (account: Account): Item => ({
      key: `${account.id} statistics`,
      tone: 'orange',
      icon: Unplug,
      title: ['', nameOf(account), ' shows no statistics'],
      text: `A permission is missing. Publishing still works.${canManage ? '' : ' An owner or admin can reconnect.'}`,
      ...reconnect,
    }),
  };
};

const requestOf = ({ action, input }: ApprovalCard, zone: string) => {
  if (action === 'posts.schedule' && typeof input.at === 'string')
    return `schedule a post for ${formatDay(input.at, zone)}`;
  if (action === 'posts.publishNow') return 'publish a post now';
  if (action === 'posts.delete') return 'delete a post';
  return action === 'accounts.delete' ? 'disconnect an account' : 'change a scheduled post';
};

const useFailures = (): { item: Item; reconnects: string[] }[] => {
  const input = { group: 'Sent', status: 'Failed' } as const;
  const posts: readonly PostSummary[] =
    useQuery({
      queryKey: keys.search(input),
      queryFn: ({ signal }) => app.searchPosts(input, { signal }),
      meta: { part: 'posts that failed' },
    }).data?.posts ?? [];
  const { byId } = useAccounts();
  const networks = useNetworks();
  const { canManage } = usePermissions();
  const since = new Date(now().getTime() - failuresMs).toISOString();
  return posts
    .filter(({ updatedAt }) => updatedAt >= since)
    .slice(0, mostFailures)
    .map((post) => {
      const troubles = post.results.filter(({ ok }) => !ok);
      const isDoubt = stateOf(post) === 'Uncertain';
      const relevant = isDoubt ? troubles : troubles.filter(({ uncertain }) => !uncertain);
      const names = [...new Set(relevant.flatMap(({ accountId }) => byId.get(accountId)?.network ?? []))];
      const where = names.length === 0 ? 'an account' : joinWithAnd(names.map((name) => networks.of(name).name));
      const refused = relevant.filter(({ accountId }) => byId.get(accountId)?.status === 'NeedsReconnect');
      const open = { to: '/posts/$id', params: { id: post.id } } as LinkProps;
      if (isDoubt) {
        const item: Item = {
          key: post.id,
          tone: 'plum',
          icon: CircleHelp,
          title: ['Is ', quoteHeading(post.text), ` on ${where}?`],
          text: 'The network stopped answering after it took the post.',
          act: { label: 'Check and answer', link: open },
        };
        return { item, reconnects: [] };
      }
      const needsSignIn = refused.length > 0;
      const item: Item = {
        key: post.id,
        tone: 'red',
        icon: CircleX,
        title: ['', quoteHeading(post.text), ` did not reach ${where}`],
        text: needsSignIn
          ? 'The sign-in was refused. Reconnect, then send again.'
          : (relevant[0]?.error?.message ?? 'Open it to see why.'),
        act:
          needsSignIn && canManage
            ? { label: 'Reconnect', link: { to: '/accounts' } }
            : { label: actionLabels[relevant[0]?.error?.code ?? ''] ?? 'Open', link: open },
      };
      return { item, reconnects: refused.map(({ accountId }) => accountId) };
    });
};

/** Labels of the next action, by error code. */
const actionLabels: Record<string, string> = {
  rate_limited: 'Send again',
  unavailable: 'Send again',
  not_sent: 'Send again',
  content_refused: 'Edit',
  media_refused: 'Edit',
  invalid: 'Edit',
  disconnected: 'Edit',
  missed: 'Choose a time',
  reconnect: 'Send again',
  permission: 'Send again',
};
