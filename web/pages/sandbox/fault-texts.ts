import type { ReadSandboxOutput } from '#generated/app-client';

type Fault = ReadSandboxOutput['faults'][number];
export type Moment = ReadSandboxOutput['networks'][number]['planned'][number]['moment'];

export const moments: readonly Moment[] = ['publish', 'upload', 'read'];

export const momentLabels: Record<Moment, string> = {
  publish: 'Sending a post',
  upload: 'Uploading a file',
  read: 'Reading numbers',
};

export const formatTimes = (times: number | null) => {
  if (times === null) return 'Every time';
  return times === 1 ? 'Once' : `${times} times`;
};

const mayBeOut = 'Posthorn looks for the post; the result may become uncertain';
const refused = 'The post fails, and the reason is shown';
const stays = 'The post stays in Publishing meanwhile';
const renews = 'Posthorn renews it and goes on';
const reconnect = 'The account needs reconnecting';

/** Title of a fault, and what it causes when a post is sent. */
const publishTexts: Record<string, { title: string; sent: string }> = {
  '429': { title: 'Too many requests (429)', sent: 'Posthorn waits as long as it is told to, then sends' },
  '429-bare': { title: 'Too many requests, no time given', sent: 'Posthorn waits a while, then tries again' },
  '503': { title: 'Service down (503)', sent: 'Posthorn tries again, then the post fails' },
  '503-late': { title: 'Service down, yet the post appears 20 s later', sent: mayBeOut },
  '500-after': { title: 'Takes the post, then answers with an error', sent: mayBeOut },
  lost: { title: 'Takes the post, then goes silent', sent: mayBeOut },
  late: { title: 'Hangs up, yet the post appears 5 minutes later', sent: mayBeOut },
  cut: { title: 'Takes the post, then hangs up', sent: mayBeOut },
  hang: { title: 'Takes nothing and goes silent', sent: mayBeOut },
  html: { title: 'Answers with a web page', sent: mayBeOut },
  slow: { title: 'Slow, by 3 seconds', sent: stays },
  'expired-token': { title: 'Expired sign-in', sent: renews },
  'refused-token': { title: 'Access revoked', sent: reconnect },
  'missing-permission': { title: 'Missing permission', sent: refused },
  'content-refused': { title: 'Refuses the text', sent: refused },
  'media-refused': { title: 'Refuses the media', sent: refused },
};

const readTexts: Record<string, string> = {
  '429': 'The read moves to a later time',
  '429-bare': 'The read moves to a later time',
  slow: 'The numbers come late',
  'expired-token': renews,
  'refused-token': 'Statistics stop until somebody reconnects; publishing goes on',
  'missing-permission': 'Statistics stop until somebody reconnects; publishing goes on',
};

const uploadTexts: Record<string, string> = {
  slow: stays,
  'expired-token': renews,
  'refused-token': reconnect,
  'missing-permission': refused,
  'content-refused': refused,
  'media-refused': refused,
};

export const titleOf = ({ fault }: Fault) => publishTexts[fault]?.title ?? fault;

export const causeOf = ({ fault, effect }: Fault, moment: Moment) => {
  if (moment === 'read') return readTexts[fault] ?? 'The read fails; the earlier numbers stay';
  if (moment === 'upload')
    return uploadTexts[fault] ?? 'Nothing is public yet: Posthorn tries again, then the post fails';
  return publishTexts[fault]?.sent ?? effect;
};
