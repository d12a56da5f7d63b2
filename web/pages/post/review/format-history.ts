import type { HistoryEntry, Revision } from '#generated/app-client';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { count } from '#web/parts/number.ts';
import { formatDateTime } from '#web/parts/time.ts';

const aspects = { Text: 'text', Media: 'media', Options: 'options', Accounts: 'accounts' } as const;

const requests: Record<string, string> = {
  'posts.schedule': 'schedule it',
  'posts.publishNow': 'publish it now',
  'posts.delete': 'delete it',
};

/** `Changed text and media` */
export const describeEntry = (entry: HistoryEntry, zone: string): string => {
  const { kind, changed = [], scheduledAt, action = '', accounts } = entry;
  const asked = requests[action] ?? 'change it';
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
    case 'Requested':
      return `Asked to ${asked}`;
    case 'Approved':
      return `Approved: ${asked}`;
    case 'Rejected':
      return `Rejected: ${asked}`;
    case 'Published':
      return accounts ? `Went out to ${count(accounts.out, 'account')}` : 'Went out';
    case 'Failed':
      return accounts ? `Failed on ${accounts.all - accounts.out} of ${accounts.all}` : 'Failed';
  }
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
  const fresh = new Set(now.filter((id) => !old.includes(id))).size;
  const gone = new Set(old.filter((id) => !now.includes(id))).size;
  const isMoved = fresh === 0 && gone === 0 && now.join() !== old.join();
  return [
    ...(fresh > 0 ? [`${count(fresh, 'file')} added`] : []),
    ...(gone > 0 ? [`${count(gone, 'file')} removed`] : []),
    ...(isMoved ? ['Files moved'] : []),
    ...(JSON.stringify(options(versions)) === JSON.stringify(options(before.versions)) ? [] : ['Options changed']),
    ...(added.length > 0 ? [`Added ${joinWithAnd(added.map(nameOf))}`] : []),
    ...(removed.length > 0 ? [`Taken out ${joinWithAnd(removed.map(nameOf))}`] : []),
  ];
};
