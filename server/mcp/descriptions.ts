import type { z } from 'zod';
import type { Issue } from '#contracts/errors';
import { Post } from '#contracts/posts';
import type { RunnableAction } from '#server/admission';
import type { RequestState } from '#server/approvals/card-view';
import type { RequestedApproval } from '#server/approvals/cards';
import type { Refusal } from '#server/errors';
import { inOneLine, quoted, toCompactText } from './compact-text.ts';
import { shortTexts, type TextContext } from './short-texts.ts';

/** A refusal as text for a model, one line for each thing that is wrong, and each said once. */
export const describeRefusal = ({ code, message, issues }: Refusal) => {
  // The message of a bad input is its first issue.
  if (code !== 'BadInput' || issues.length === 0) {
    return [
      `${code}: ${inOneLine(withoutFirst(message, issues))}`,
      ...issues.map((issue) => `- ${describeIssue(issue, ':')}`),
    ].join('\n');
  }
  const [only, ...others] = issues.map((issue) => describeIssue(issue, ''));
  return others.length === 0 ? `${code}: ${only}` : [`${code}:`, only, ...others].join('\n- ');
};

/** The issues below repeat the first one with its path, so the message need not. */
const withoutFirst = (message: string, [first]: readonly Issue[]) =>
  first && message.endsWith(first.message) ? message.slice(0, -first.message.length).trimEnd() : message;

/** The message of an input issue continues its field name; the message of a post issue is a sentence, after a colon. */
const describeIssue = ({ path, message, code: _, fix: __, ...facts }: Issue, mark: '' | ':') => {
  const details = Object.entries(facts).map(([name, value]) => `${name} ${quoted(String(value))}`);
  return inOneLine(`${quoted(path)}${mark} ${message}${details.length > 0 ? ` (${details.join(', ')})` : ''}`);
};

/** The text of an output: all of it for a read, a summary of the change for a write. */
export const describeOutput = (
  { name, action: { kind, output: schema } }: Pick<RunnableAction, 'name' | 'action'>,
  output: unknown,
  context: TextContext,
): string | Promise<string> => {
  const describe = shortTexts[name];
  if (describe) return describe(output as never, context);
  if (schema !== (Post as z.ZodType)) return toCompactText(output as object);
  return kind === 'Write' ? describeSave(output as Post) : describePost(output as Post);
};

const describePost = (post: Post) => {
  const { status, results } = post;
  const out = results.filter(({ ok }) => ok).length;
  const text = toCompactText(post);
  return status === 'Failed' && results.length > 0
    ? `Failed: it is out on ${out} of ${count(post.accountIds.length, 'account')}.\n${text}`
    : text;
};

const describeSave = ({ id, status, accountIds, versions, scheduledAt, updatedAt }: Post) =>
  [
    `Saved ${id}, ${status}, updatedAt ${updatedAt}.`,
    accountIds.length === 0 ? 'It goes to no account yet.' : `It goes to ${count(accountIds.length, 'account')}.`,
    ...versions.map(({ accountId, content, options }) => {
      const set = Object.entries(options).map(([key, value]) => `${quoted(key)} ${quoted(value)}`);
      const whose = accountId === undefined ? 'Original version' : `Version of ${quoted(accountId)}`;
      const media = content.flatMap((item) => item.media);
      const files = media.length > 0 ? [`media ${media.join(' ')}`] : [];
      return `${whose}: ${[count(content.length, 'item'), ...files, ...set].join(', ')}.`;
    }),
    ...(status === 'Draft' && scheduledAt ? [`Wished for ${scheduledAt}, not scheduled.`] : []),
    'Next: posts_validate.',
  ].join(' ');

const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;

export const describePending = (
  tool: string,
  { approvalUrl, again, createdAt, expiresAt, before }: RequestedApproval,
) =>
  [
    `${tool} has not run: a human must approve it in Posthorn first, at ${approvalUrl}.`,
    again
      ? `It was asked for at ${createdAt} already, and waits there until ${expiresAt}.`
      : `The request waits there until ${expiresAt}.`,
    ...(before?.status === 'Rejected' ? [`The last one was rejected at ${before.decidedAt}: tell the user so.`] : []),
    ...(before?.status === 'Outdated' ? [`The one before, of ${before.createdAt}, is outdated now.`] : []),
    `Tell the user, and do not call ${tool} again for it.`,
  ].join(' ');

export const describeDuplicate = (id: string) =>
  `The draft ${id} has the same content for the same accounts. If this call was sent twice, keep one of the two, and ask for posts_delete of the other.`;

/** Approval requests about a post, appended to the text of the post. */
export const describeRequests = (requests: readonly RequestState[]) => requests.map(describeRequest).join('\n');

const describeRequest = ({ action, status, approvalUrl, createdAt, expiresAt, decidedAt }: RequestState) => {
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
