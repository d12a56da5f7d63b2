import type { GetProgressOutput, Result } from '#generated/app-client';
import { formatTime } from '#web/base/time.ts';

export type Step = GetProgressOutput['steps'][number];

/** The state of the send to one account, and the step behind it. */
export interface SendState {
  readonly provider: string;
  readonly state: 'Running' | 'Out' | 'Failed' | 'Uncertain';
  readonly step: Step | undefined;
}

export const hasEnded = ({ step }: Pick<Step, 'step'>) =>
  step === 'Published' || step === 'Failed' || step === 'Uncertain';

/** Events and query responses may arrive out of order. */
const isOutdated = (step: Step, previous: Step) =>
  step.startedAt === previous.startedAt ? hasEnded(previous) && !hasEnded(step) : step.startedAt < previous.startedAt;

export const mergeSteps = (previous: readonly Step[], steps: readonly Step[]): Step[] => {
  const byAccount = new Map(previous.map((step) => [step.accountId, step]));
  for (const step of steps) {
    const before = byAccount.get(step.accountId);
    if (before === undefined || !isOutdated(step, before)) byAccount.set(step.accountId, step);
  }
  return [...byAccount.values()];
};

const maxPosts = 50;
const endings = new Map<string, readonly Step[]>();

/** A response that the server prepared before these events may arrive after them, and must not undo them. */
export const rememberEndings = (postId: string, steps: readonly Step[]) => {
  const ended = steps.filter(hasEnded);
  if (ended.length === 0) return;
  endings.set(postId, mergeSteps(endings.get(postId) ?? [], ended));
  if (endings.size > maxPosts) endings.delete(endings.keys().next().value ?? '');
};

export const withEndings = (postId: string, steps: readonly Step[]) => mergeSteps(steps, endings.get(postId) ?? []);

const firstThird = 1 / 3;
const awaitingAnswer = 0.9;

/** How much of the account's line is drawn, from 0 to 1. Undefined if the step says nothing about progress. */
export const reachOf = (step: Step): number | undefined => {
  const { number, count } = step.part ?? { number: 1, count: 1 };
  const reach = reachInPart(step);
  if (reach === undefined) return undefined;
  return step.step === 'Published' ? 1 : (number - 1 + reach) / count;
};

const reachInPart = ({ step, media, awaitsAnswer }: Step): number | undefined => {
  switch (step) {
    case 'Queued':
      return 0;
    case 'Sending':
      return awaitsAnswer ? awaitingAnswer : firstThird;
    case 'Media': {
      const { number = 1, count = 1, sentBytes = 0, bytes = 1 } = media ?? {};
      return firstThird + ((awaitingAnswer - firstThird) * (number - 1 + sentBytes / bytes)) / count;
    }
    case 'Confirming':
    case 'Uncertain':
      return awaitingAnswer;
    case 'Published':
      return 1;
    case 'Processing':
    case 'Retrying':
    case 'Failed':
      return undefined;
  }
};

const fileWords = { Image: 'Picture', Video: 'Video', Document: 'Document' } as const;

const describeMedia = ({ media }: Step) => {
  if (media === undefined) return 'Handing over';
  const { kind, number, count, sentBytes, bytes } = media;
  const percent = sentBytes !== undefined && bytes ? `, ${Math.floor((100 * sentBytes) / bytes)} %` : '';
  return count === 1 && percent !== ''
    ? `${fileWords[kind]}${percent}`
    : `${fileWords[kind]} ${number} of ${count}${percent}`;
};

export const describeStep = (step: Step | undefined, provider: string, zone: string): string => {
  const at = step?.at && Date.parse(step.at) > 0 ? formatTime(step.at, zone) : undefined;
  switch (step?.step) {
    case 'Media':
      return describeMedia(step);
    case 'Sending':
      return step.part && step.part.number > 1 ? `Part ${step.part.number} of ${step.part.count}` : 'Handing over';
    case 'Processing':
      return `Waiting for ${provider}`;
    case 'Retrying':
      return at ? `Next try at ${at}` : 'Tries again';
    case 'Confirming':
      return at ? `No answer, asks at ${at}` : 'No answer, asks again';
    default:
      return 'Waits its turn';
  }
};

const reasons: Partial<Record<NonNullable<Result['error']>['code'], string>> = {
  reconnect: 'sign-in refused',
  permission: 'permission missing',
  rate_limited: 'limit reached',
  content_refused: 'text refused',
  media_refused: 'media refused',
  unavailable: 'not available',
  not_sent: 'not sent',
  invalid: 'does not fit',
  missed: 'time passed',
  disconnected: 'disconnected',
};

/** `Failed: sign-in refused` */
export const describeFailure = (result: Result | undefined) => {
  const reason = result?.error && reasons[result.error.code];
  return reason ? `Failed: ${reason}` : 'Failed';
};

/** `0.7 s`, `12 s`, `3 min` */
export const formatElapsed = (ms: number) => {
  if (ms <= 9_900) return `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
};
