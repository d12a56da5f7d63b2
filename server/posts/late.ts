/**
 * SQL: a scheduled post that nobody has taken up for five minutes. A busy server is late by less, so nothing publishes. The
 * app and `doctor` both ask this, so that they agree.
 */
export const isLate = (posts: string) =>
  `${posts}.status = 'Scheduled' and ${posts}.scheduled_at < (select posthorn_now()) - interval '5 minutes'`;
