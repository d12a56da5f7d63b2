import type { Result, resultErrorCodes, SendStep } from '#contracts/posts';
import type { Network, Sent } from '#server/networks/network';
import { type NetworkTrouble, type TroubleKind, whatHappened } from '#server/networks/trouble';
import type { SendRow } from './sending-store.ts';

/** `error.code` of a result: programs branch on it, and people read the message. */
export type FailureCode = (typeof resultErrorCodes)[number];

type Outcome = Omit<Result, 'accountId'>;

const codes: Record<TroubleKind, FailureCode> = {
  token: 'reconnect',
  permission: 'permission',
  rateLimited: 'rate_limited',
  content: 'content_refused',
  media: 'media_refused',
  temporary: 'unavailable',
  unknown: 'unavailable',
};

const advice: Record<TroubleKind, string> = {
  token: 'Reconnect the account on the Social accounts page, then publish again.',
  permission: 'Reconnect the account with all permissions, then publish again.',
  rateLimited: 'Publish again later.',
  content: 'Change the post, then publish again.',
  media: 'Change the media, then publish again.',
  temporary: 'Publish again later.',
  unknown: 'Publish again later.',
};

export const endedStepOf = ({ ok, uncertain }: Pick<Result, 'ok' | 'uncertain'>): SendStep['step'] => {
  if (ok) return 'Published';
  return uncertain ? 'Uncertain' : 'Failed';
};

/** `networkCode`: what the network itself calls it. */
export const failed = (code: FailureCode, message: string, networkCode?: string): Outcome => ({
  ok: false,
  uncertain: false,
  error: { code, message, ...(networkCode && { networkCode }) },
});

export const refused = (network: Pick<Network, 'name'>, trouble: NetworkTrouble): Outcome =>
  failed(codes[trouble.kind], `${whatHappened(trouble, network)} ${advice[trouble.kind]}`, trouble.networkCode);

/** Adds the address of the published parts of a thread, also when a later part failed. */
export const withSent = (outcome: Outcome, sent: readonly Sent[], parts: number): Outcome => {
  const [first] = sent;
  const after = outcome.uncertain ? parts - sent.length - 1 : 0;
  const note = [...sent.flatMap((part) => part.note ?? []), ...(after > 0 ? [missingRest(after, parts)] : [])].join(
    ' ',
  );
  if (first === undefined) return { ...outcome, ...(note !== '' && { note }) };
  const out = {
    externalId: first.externalId,
    ...(first.url !== undefined && { url: first.url }),
    ...(note !== '' && { note }),
  };
  if (outcome.ok || outcome.error === undefined || parts === 1) return { ...outcome, ...out };
  const message = `${sent.length} of ${parts} parts are out; publishing again continues with the next. ${outcome.error.message}`;
  return { ...outcome, ...out, error: { ...outcome.error, message } };
};

/** Confirming the uncertain part ends the thread, so the message says how many parts are missing. */
const missingRest = (after: number, parts: number) =>
  `The parts after it were not sent (${after} of ${parts} parts). If you find this part on the account, post the rest there yourself.`;

export const needsReconnect = ({ name }: Pick<Network, 'name'>) =>
  failed('reconnect', `${name} no longer accepts our access. ${advice.token}`);

export const accountGone = failed(
  'disconnected',
  'The account was disconnected. Take it out of the post, or connect it and add it again.',
);

export const missed = failed(
  'missed',
  'Its time passed long ago, while Posthorn was not running. Nothing was published: choose a new time, or publish now.',
);

export const missedWhileWaiting = failed(
  'missed',
  'Its time passed long ago, while it waited for the network or Posthorn was not running. Nothing was published: choose a new time, or publish now.',
);

export const givenUp = ({ name }: Pick<Network, 'name'>) =>
  failed('rate_limited', `It was given up while it waited for ${name}. Publish again, or choose a new time.`);

/** For a thread whose first parts are published. */
export const restMissed = failed(
  'missed',
  'The time of the others passed long ago: choose a new time, or publish now.',
);

export const uncertain: Outcome = {
  ok: false,
  uncertain: true,
  error: {
    code: 'uncertain',
    message:
      'The network may have published it, but could not confirm it, and it may still appear. Look at the account in a few minutes: publishing again asks the network first, and sends only what is not there.',
  },
};

/** The post was due between a backup and its restore. */
export const dueSinceBackup: Outcome = {
  ok: false,
  uncertain: true,
  error: {
    code: 'uncertain',
    message:
      'Posthorn was restored from a backup that is older than this post. It may be out already: look at the account, then say what you see, or publish again.',
  },
};

/** The network does not have it yet, and may still act on the broken request. */
export const mayStillAppear = ({ name }: Pick<Network, 'name'>, forMs: number): Outcome => ({
  ok: false,
  uncertain: true,
  error: {
    code: 'uncertain',
    message: `${name} has not confirmed the post and does not show it yet. It may still appear within ${inMinutes(forMs)}; Posthorn keeps looking until then. Publishing again waits that long too, so that it does not appear twice.`,
  },
});

/** Published again, while the network may still act on the first request. */
export const waitsToSend = ({ name }: Pick<Network, 'name'>, forMs: number): Outcome => ({
  ok: false,
  uncertain: true,
  error: {
    code: 'uncertain',
    message: `${name} may still publish what it got before. Posthorn looks again in ${inMinutes(forMs)}, and sends the post if it is not there.`,
  },
});

/** The network does not have it, and no longer acts on the broken request. */
export const notSent = (
  { name, holdMs, isRepeatable }: Pick<Network, 'name' | 'holdMs' | 'isRepeatable'>,
  { repeat }: Pick<SendRow, 'repeat'>,
): Outcome => {
  const absence = `${name} does not have the post, ${inMinutes(holdMs)} after the last try.`;
  if (repeat === 'done')
    return failed('not_sent', `It was tried twice with the same key. ${absence} Publish again later.`);
  const why =
    isRepeatable === undefined
      ? ` It is not sent again by itself, because ${name} has no key that keeps a post from appearing twice.`
      : '';
  return failed('not_sent', `${absence}${repeat === 'may' ? why : ''} Publish again.`);
};

/** For a thread: the uncertain part turned out to be published. */
export const restNotSent = failed('not_sent', 'The send was interrupted after that. Publish again.');

export const inMinutes = (ms: number) => {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
};
