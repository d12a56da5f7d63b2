import type { Delivery } from '#generated/app-client';

/** Common statuses; others are shown by number. */
const names: Record<string, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  410: 'Gone',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** `HTTP 503` → `503 Service Unavailable`; `HTTP 200` → `200 in 84 ms`. */
export const formatAnswer = (answer: string, tookMs?: number) => {
  const [, status] = /^HTTP (\d{3})$/.exec(answer) ?? [];
  if (status === undefined) return answer;
  if (status.startsWith('2') && tookMs !== undefined) return `${status} in ${tookMs} ms`;
  return names[status] ? `${status} ${names[status]}` : status;
};

export const answerOf = ({ state, attempts, lastAnswer, lastTookMs }: Delivery) => {
  if (state === 'sending') return 'No answer yet';
  if (lastAnswer === undefined) return 'Queued';
  const words = formatAnswer(lastAnswer, lastTookMs);
  return state === 'failed' && attempts > 0 ? `Given up: ${words}` : words;
};

export const isTrouble = ({ state, lastAnswer }: Delivery) =>
  state === 'failed' || (state === 'pending' && lastAnswer !== undefined);
