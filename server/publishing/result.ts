import type { Result } from '#contracts/posts';
import type { Sent } from '#server/networks/network';
import type { NetworkTrouble, TroubleKind } from '#server/networks/trouble';

/** `error.code` of a result: programs branch on it, and people read the message. */
export type FailureCode =
  | 'disconnected'
  | 'reconnect'
  | 'permission'
  | 'rate_limited'
  | 'content_refused'
  | 'media_refused'
  | 'unavailable'
  | 'uncertain'
  | 'not_sent'
  | 'invalid'
  | 'missed';

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

export const failed = (code: FailureCode, message: string): Outcome => ({ ok: false, error: { code, message } });

export const refused = ({ kind, message, networkCode }: NetworkTrouble): Outcome => {
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return failed(codes[kind], [sentence, advice[kind], ...(networkCode ? [`(${networkCode})`] : [])].join(' '));
};

/** Parts of a thread that are out keep their address, also when a later one is not. */
export const withSent = (outcome: Outcome, sent: readonly Sent[], parts: number): Outcome => {
  const [first] = sent;
  if (first === undefined) return outcome;
  const out = { externalId: first.externalId, ...(first.url !== undefined && { url: first.url }) };
  if (outcome.ok || outcome.error === undefined || parts === 1) return { ...outcome, ...out };
  const told = `${sent.length} of ${parts} parts are out; publishing again goes on with the next. ${outcome.error.message}`;
  return { ...outcome, ...out, error: { ...outcome.error, message: told } };
};

export const needsReconnect = failed('reconnect', `The network no longer accepts our access. ${advice.token}`);

export const accountGone = failed(
  'disconnected',
  'The account was disconnected. Take it out of the post, or connect it and add it again.',
);

export const missed = failed(
  'missed',
  'Its time passed long ago, while Posthorn was not running. Nothing was published: choose a new time, or publish now.',
);

export const uncertain: Outcome = {
  ok: false,
  uncertain: true,
  error: {
    code: 'uncertain',
    message:
      'The network may have published it, but could not confirm it. Look at the account: publishing again asks the network first, and sends only what is not there.',
  },
};

export const notSent = failed(
  'not_sent',
  'The connection broke while it was being sent, and the network says that it is not there. Publish again.',
);
