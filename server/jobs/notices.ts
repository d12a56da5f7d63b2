/** The kinds of due work: by the name that notices give, and as operators see them among the jobs. */
export const dueWork = {
  posts: 'publish what is due',
  sends: 'send posts to networks',
  deliveries: 'deliver webhooks',
  reads: 'read statistics',
  accounts: 'renew tokens',
  mails: 'send mails',
  pushes: 'send push messages',
  fits: 'prepare videos',
} as const;

export type DueKind = keyof typeof dueWork;

export const dueChannel = 'posthorn_due';

/** For a statement that makes something due earlier than was known: every instance looks when that is committed. */
export const wakes = (kind: DueKind | 'clock') => `pg_notify('${dueChannel}', '${kind}')`;
