/**
 * SQL: a scheduled post that is five minutes overdue. A busy server is never this late, so no process is publishing. Shared
 * by the app and `doctor`, so that they agree.
 */
export const isLate = (posts: string) =>
  `${posts}.status = 'Scheduled' and ${posts}.scheduled_at < (select posthorn_now()) - interval '5 minutes'`;
