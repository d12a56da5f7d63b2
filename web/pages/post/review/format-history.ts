import type { HistoryEntry, Revision } from '#generated/app-client';
import { formatDateTime } from '#web/base/time.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { count } from '#web/parts/number.ts';

const aspects = { Text: 'text', Media: 'media', Options: 'options', Accounts: 'accounts' } as const;

const requests: Record<string, string> = {
  'posts.schedule': 'schedule it',
  'posts.publishNow': 'publish it now',
  'posts.delete': 'delete it',
};

/** `Changed text and media` */
export const describeEntry = (entry: HistoryEntry, zone: string): string => {
  const { kind, changed = [], scheduledAt, action = '', accounts } = entry;
  const request = requests[action] ?? 'change it';
  switch (kind) {
    case 'Created':
      return 'Created';
    case 'Edited':
      return `Changed ${joinWithAnd((['Text', 'Media', 'Options', 'Accounts'] as const).filter((one) => changed.includes(one)).map((one) => aspects[one]))}`;
    case 'Scheduled':
      return scheduledAt ? `Scheduled for ${formatDateTime(scheduledAt, zone)}` : 'Scheduled';
    case 'Unscheduled':
      return 'Unscheduled';
    case 'Publishing':
      return 'Published now';
    case 'Deleted':
      return 'Deleted';
    case 'Restored':
      return 'Restored from the bin';
    case 'Requested':
      return `Asked to ${request}`;
    case 'Approved':
      return [`Approved: ${request}`, ...(entry.alts ?? []).map(describeAlt)].join('. ');
    case 'Rejected':
      return entry.reason ? `Rejected: ${request}. “${entry.reason}”` : `Rejected: ${request}`;
    case 'Published':
      return accounts ? `Went out to ${count(accounts.out, 'account')}` : 'Went out';
    case 'Failed':
      return describeFailed(entry);
  }
};

const describeAlt = ({ before, alt }: { before: string; alt: string }) =>
  `Alternative text: ${before ? `“${before}”` : 'none'} became ${alt ? `“${alt}”` : 'none'}`;

/** Uncertain if no account failed for certain, like the state of the post itself. */
export const isUncertain = ({ kind, accounts }: HistoryEntry) =>
  kind === 'Failed' && accounts !== undefined && (accounts.uncertain ?? 0) === accounts.all - accounts.out;

const describeFailed = (entry: HistoryEntry) => {
  const state = isUncertain(entry) ? 'Uncertain' : 'Failed';
  if (entry.accounts === undefined) return state;
  const { out, all } = entry.accounts;
  return `${state} on ${all - out} of ${all}`;
};

export const describeClient = (client: HistoryEntry['client']): string => {
  if (client === undefined) return '';
  switch (client.kind) {
    case 'App':
      return 'in the app';
    case 'Token':
      return client.name ? `token ${client.name}` : 'a token';
    case 'Mcp':
      return client.name ?? 'an MCP client';
    case 'Assistant':
      return 'Assistant';
    case 'Import':
      return 'import';
  }
};

/** Changes other than text, one line each. */
export const otherChanges = ({ accountIds, versions, before }: Revision, nameOf: (id: string) => string): string[] => {
  if (!before) return [];
  const added = accountIds.filter((id) => !before.accountIds.includes(id));
  const removed = before.accountIds.filter((id) => !accountIds.includes(id));
  const files = (all: Revision['versions']) => all.flatMap(({ content }) => content.flatMap(({ media }) => media));
  const options = (all: Revision['versions']) =>
    all.map((version) => [version.accountId, Object.entries(version.options).sort()]);
  const [now, old] = [files(versions), files(before.versions)];
  const addedCount = new Set(now.filter((id) => !old.includes(id))).size;
  const removedCount = new Set(old.filter((id) => !now.includes(id))).size;
  const isMoved = addedCount === 0 && removedCount === 0 && now.join() !== old.join();
  return [
    ...(addedCount > 0 ? [`${count(addedCount, 'file')} added`] : []),
    ...(removedCount > 0 ? [`${count(removedCount, 'file')} removed`] : []),
    ...(isMoved ? ['Files reordered'] : []),
    ...(JSON.stringify(options(versions)) === JSON.stringify(options(before.versions)) ? [] : ['Options changed']),
    ...(added.length > 0 ? [`Added ${joinWithAnd(added.map(nameOf))}`] : []),
    ...(removed.length > 0 ? [`Removed ${joinWithAnd(removed.map(nameOf))}`] : []),
  ];
};
