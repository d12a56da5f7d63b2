import type { Issue } from '#contracts/errors';
import type { Asked, RequestNews } from '#server/approvals/cards';
import type { Refusal } from '#server/errors';

/** A refusal as text for a model, one line for each thing that is wrong. */
export const refusalInWords = ({ code, message, issues }: Refusal) =>
  [`${code}: ${inOneLine(message)}`, ...issues.map((issue) => issueInWords(issue, code))].join('\n');

/** Of an input: field and sentence. Of a post: the place, and a sentence of its own, which names the fix too. */
const issueInWords = ({ path, message, fix: _, ...facts }: Issue, code: string) => {
  const told = Object.entries(facts).map(([name, value]) => `${name} ${quoted(value)}`);
  return inOneLine(`- ${quoted(path)}${code === 'BadInput' ? '' : ':'} ${message} (${told.join(', ')})`);
};

const quoted = (value: string | number | undefined) =>
  typeof value === 'string' && !isName.test(value) ? JSON.stringify(value) : value;

/** An id, a code or a path: says nothing but a name. */
const isName = /^[\w.-]{1,200}$/;

/** Our sentences name what came from outside; whatever that was, it begins no line of its own. */
const inOneLine = (text: string) =>
  text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const pendingInWords = (tool: string, { approvalUrl, again, createdAt, expiresAt, before }: Asked) =>
  [
    `${tool} has not run: a human must approve it in Posthorn first, at ${approvalUrl}.`,
    again
      ? `It was asked for at ${createdAt} already, and waits there until ${expiresAt}.`
      : `The request waits there until ${expiresAt}.`,
    ...(before?.status === 'Rejected' ? [`The last one was rejected at ${before.decidedAt}: tell the user so.`] : []),
    ...(before?.status === 'Outdated' ? [`The one before, of ${before.createdAt}, is outdated now.`] : []),
    `Tell the user, and do not call ${tool} again for it.`,
  ].join(' ');

/** What a model has to know of the requests about a post, below the post itself. */
export const requestsInWords = (requests: readonly RequestNews[]) => requests.map(newsInWords).join('\n');

const newsInWords = ({ action, status, approvalUrl, createdAt, expiresAt, decidedAt }: RequestNews) => {
  const tool = action.replace('.', '_');
  switch (status) {
    case 'Open':
      return `${tool} waits for a human at ${approvalUrl} until ${expiresAt}; do not call it again.`;
    case 'Approved':
      return `${tool} was approved at ${decidedAt}.`;
    case 'Rejected':
      return `${tool}: the last request was rejected at ${decidedAt}. Ask the user before you ask for it again.`;
    case 'Outdated':
      return `${tool}: the request of ${createdAt} is outdated, since the post was changed after it. Ask again if it is still wanted.`;
    case 'Expired':
      return `${tool}: the request of ${createdAt} expired at ${expiresAt}, nobody decided. Ask again if it is still wanted.`;
  }
};
