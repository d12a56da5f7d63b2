/** The kinds of due work: the payload of a notification, and the name of the job that operators see. */
export const dueWork = {
  posts: 'publish what is due',
  sends: 'send posts to networks',
  deliveries: 'deliver webhooks',
  reads: 'read statistics',
  accounts: 'renew tokens',
  mails: 'send mails',
  pushes: 'send push messages',
  fits: 'prepare videos',
  forecasts: 'check the forecast',
} as const;

export type DueKind = keyof typeof dueWork;

export const dueChannel = 'posthorn_due';

/** For a statement that makes a row due earlier than its loop expects: on commit every instance polls at once. */
export const wakes = (kind: DueKind | 'clock') => `pg_notify('${dueChannel}', '${kind}')`;
