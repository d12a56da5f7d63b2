import type { ReadSandboxOutput } from '#generated/app-client';

type Fault = ReadSandboxOutput['faults'][number];
export type Moment = ReadSandboxOutput['networks'][number]['planned'][number]['moment'];

export const moments: readonly Moment[] = ['publish', 'upload', 'read'];

export const momentWords: Record<Moment, string> = {
  publish: 'On sending',
  upload: 'On upload',
  read: 'On reading',
};

export const oftenWords = (times: number | null) => {
  if (times === null) return 'Every time';
  return times === 1 ? 'Once' : `${times} times`;
};

const mayBeOut = 'Posthorn looks for the post; the result may become uncertain';
const refused = 'The post fails with the reason';

/** A short name, and what follows when a post is sent. */
const known: Record<string, { title: string; sent: string }> = {
  '429': { title: 'Too many requests (429)', sent: 'The send waits as long as it is told to' },
  '429-bare': { title: 'Too many requests, no time given', sent: 'The send waits, then tries again' },
  '503': { title: 'Service down (503)', sent: 'The send is tried again, then fails' },
  '503-late': { title: 'Down, but takes it 20 s later', sent: mayBeOut },
  '500-after': { title: 'Take the post, then an error', sent: mayBeOut },
  lost: { title: 'Take the post, then go silent', sent: mayBeOut },
  cut: { title: 'Take the post, then hang up', sent: mayBeOut },
  hang: { title: 'Take nothing and go silent', sent: mayBeOut },
  html: { title: 'Answer a web page', sent: mayBeOut },
  slow: { title: 'Slow, 3 seconds', sent: 'The post stays in Publishing meanwhile' },
  'expired-token': { title: 'Expired sign-in', sent: 'Posthorn renews it and sends' },
  'refused-token': { title: 'Access taken away', sent: 'The account asks to reconnect' },
  'missing-permission': { title: 'Missing permission', sent: refused },
  'content-refused': { title: 'Refuse the text', sent: refused },
  'media-refused': { title: 'Refuse media', sent: refused },
};

const read: Record<string, string> = {
  '429': 'Statistics reads move later',
  '429-bare': 'Statistics reads move later',
  slow: 'The numbers come late',
  'expired-token': 'Posthorn renews it and reads',
  'refused-token': 'Statistics ask to reconnect, publishing is left as it is',
  'missing-permission': 'Statistics ask to reconnect, publishing is fine',
};

const uploaded: Record<string, string> = {
  slow: 'The post stays in Publishing meanwhile',
  'expired-token': 'Posthorn renews it and sends',
  'refused-token': 'The account asks to reconnect',
  'missing-permission': refused,
  'content-refused': refused,
  'media-refused': refused,
};

export const titleOf = ({ fault }: Fault) => known[fault]?.title ?? fault;

export const causeOf = ({ fault, effect }: Fault, moment: Moment) => {
  if (moment === 'read') return read[fault] ?? 'The read fails; the numbers before it stay';
  if (moment === 'upload') return uploaded[fault] ?? 'Nothing is public yet: tried again, then failed';
  return known[fault]?.sent ?? effect;
};
