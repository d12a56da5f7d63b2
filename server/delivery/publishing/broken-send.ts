/**
 * Every way in which a send can break: what we know, what the result says, and what happens next. docs/publishing.md
 * has this table, and test/delivery/broken-sends.test.ts has a test for each row.
 */
export const waysToBreak = {
  'It breaks before the mark: upload, token, database': {
    known: 'Nothing was sent',
    said: 'The post stays Publishing',
    next: 'Retry after 5 s, 30 s, 2 min and 10 min, then `unavailable`',
  },
  'The network refuses it (4xx)': {
    known: 'Nothing is public',
    said: 'The refusal, with what to do',
    next: 'Nothing, until somebody publishes again',
  },
  'The mark is committed, and no byte has left: no connection, or the process stalled for half of its lease': {
    known: 'Nothing was sent',
    said: 'The post stays Publishing',
    next: 'The mark is taken back, and the send is retried as before the mark',
  },
  'The answer to the mark is lost: the database restarts, or its connection is cut': {
    known: 'Nothing was sent, as sending waits for the mark',
    said: 'The post stays Publishing',
    next: 'The mark is repeated; when that fails too, it is taken back',
  },
  'Some bytes are out, and the connection breaks': {
    known: 'It may be public',
    said: 'Publishing for a minute, then `uncertain`: "may still appear"',
    next: 'The network is asked after 1 minute, 2, 4 and so on until the end of the hold time. Found: `ok`. Not there: `not_sent`',
  },
  'All bytes are out, and no answer comes: timeout, reset, cut answer': {
    known: 'It may be public',
    said: 'The same',
    next: 'The same',
  },
  'The network answers 503, or with an error that says nothing about the post': {
    known: 'It may be public',
    said: 'The same',
    next: 'The network is asked after a minute. One with keys then gets the same request once more, with the same key; others as above',
  },
  'The answer comes late, when another process has taken over': {
    known: 'It is public',
    said: '`ok`, also when the post had ended as `uncertain`',
    next: 'The event `post.published`',
  },
  'The process is killed': {
    known: 'It may have been sent',
    said: 'Publishing until the lease ends, then as without an answer',
    next: 'Another process asks the network. A network with keys gets the same request once more',
  },
  'The process is stopped and continued': {
    known: 'Nothing leaves after half of the lease',
    said: 'The same',
    next: 'The answer it then reads is recorded, even if another process has claimed the row',
  },
  'The database is unavailable when the network answers': {
    known: 'What the network answered',
    said: 'The post stays Publishing',
    next: 'The process keeps the result and records it, for up to an hour',
  },
  "The database's clock is stepped": {
    known: 'Nothing new',
    said: 'Nothing',
    next: 'A process never takes over what it is itself sending, and hold times count the time that really passed',
  },
  "The database's clock is stepped back while an answer is lost": {
    known: 'When it was sent, by the time that really passed since, in the process that sent it',
    said: 'Nothing',
    next: "The network is asked by that time. Another process asks by the network's time that the mark has; without one it notices the step, asks until the end of the hold time, and calls nothing absent",
  },
  "The database's clock differs from the network's": {
    known:
      "The network's time of the send, from the `Date` of its answers; a process that has had none asks for it before it sends",
    said: 'Nothing',
    next: "Posts are looked for by the network's time. Without a `Date`, what is not found until the end of the hold time is `uncertain`",
  },
  'The network cannot say whether it has the post (LinkedIn profiles, stories)': {
    known: 'It may be public',
    said: '`uncertain`',
    next: 'A person looks at the account',
  },
} as const;

/** A send whose response was lost, and whose post the network reports as absent. */
export interface BrokenSend {
  /** How long the broken request may still be on its way to the network. */
  readonly settleLeftMs: number;
  /** How long the network may still act on the broken request: what is left of its `holdMs`. */
  readonly holdLeftMs: number;
  readonly lostForMs: number;
  /** False when the network shows no such post, and could have it nevertheless: we do not know from when on it had to look. */
  readonly isAbsent: boolean;
  /** Repeating is safe: the content is the same, and the network still has the idempotency key. */
  readonly isRepeatable: boolean;
  /** The network answered 503, or no process recorded an answer, and the request was not repeated yet. */
  readonly mayRepeat: boolean;
  /** A person published it again. */
  readonly isPublishedAgain: boolean;
}

export type NextStep =
  | { readonly is: 'ask'; readonly inMs: number }
  | { readonly is: 'repeat' }
  | { readonly is: 'sendAnew' }
  /** The post ends, and the network is asked again while it may still appear. */
  | { readonly is: 'mayStillAppear'; readonly askInMs: number }
  | { readonly is: 'notSent' }
  | { readonly is: 'uncertain' };

export const nextStep = (send: BrokenSend): NextStep => {
  const { settleLeftMs, holdLeftMs, isAbsent, isRepeatable, mayRepeat, isPublishedAgain } = send;
  if (settleLeftMs > 0) return { is: 'ask', inMs: settleLeftMs };
  if (isAbsent && isRepeatable && mayRepeat) return { is: 'repeat' };
  if (holdLeftMs > 0) {
    return isPublishedAgain ? { is: 'ask', inMs: holdLeftMs } : { is: 'mayStillAppear', askInMs: askAgainMs(send) };
  }
  if (!isAbsent) return { is: 'uncertain' };
  return isPublishedAgain ? { is: 'sendAnew' } : { is: 'notSent' };
};

/** Doubles from one minute, up to the end of the hold time. */
export const askAgainMs = ({ holdLeftMs, lostForMs }: Pick<BrokenSend, 'holdLeftMs' | 'lostForMs'>) =>
  Math.min(holdLeftMs, Math.max(lostForMs, 60_000));
