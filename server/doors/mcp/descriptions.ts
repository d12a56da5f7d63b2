import type { z } from 'zod';
import type { Issue } from '#contracts/errors';
import { Post } from '#contracts/posts';
import type { RunnableAction } from '#server/agents/admission';
import type { RequestState } from '#server/agents/approvals/card-view';
import type { RequestedApproval } from '#server/agents/approvals/cards';
import type { Refusal } from '#server/base/errors';
import { quantity } from '#server/base/quantity';
import { inOneLine, quoted, shortInstant, toCompactText } from './compact-text.ts';
import { shortTexts, type TextContext } from './short-texts.ts';

/** A refusal as text for a model: one line per problem, without repetition. */
export const describeRefusal = ({ code, message, issues }: Refusal) => {
  // The message of a BadInput repeats its first issue.
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
  const { results: _, ...rest } = post;
  const text = [toCompactText(rest), ...describeResults(results)].join('\n');
  return status === 'Failed' && results.length > 0
    ? `Failed: published on ${out} of ${quantity(post.accountIds.length, 'account')}.\n${text}`
    : text;
};

/** Leaves out the id that the network gave the post, because a model needs only the URL. */
const describeResults = (results: Post['results']) =>
  results.length === 0 ? [] : ['results:', ...results.map(describeResult)];

const describeResult = (result: Post['results'][number]) => {
  const { accountId, provider, ok, uncertain, externalId, url, publishedAt, error, note } = result;
  const outcome = ok
    ? ['published', publishedAt && shortInstant(publishedAt), url ?? externalId, note]
    : [uncertain ? 'uncertain' : 'failed', error?.code, error?.networkCode, error?.message, url, note];
  return `- ${provider ?? 'account'} ${accountId}: ${outcome.flatMap((part) => (part === undefined ? [] : quoted(part))).join(', ')}`;
};

const describeSave = ({ id, status, accountIds, versions, scheduledAt, updatedAt }: Post) =>
  [
    `Saved ${id}, ${status}, updatedAt ${updatedAt}.`,
    accountIds.length === 0 ? 'It goes to no account yet.' : `It goes to ${quantity(accountIds.length, 'account')}.`,
    ...versions.flatMap(({ accountId, content, options }) => {
      const set = Object.entries(options).map(([key, value]) => `${quoted(key)} ${quoted(value)}`);
      const whose = accountId === undefined ? 'Original version' : `Version of ${quoted(accountId)}`;
      const media = content.flatMap((item) => item.media);
      const files = media.length > 0 ? [`media ${media.join(' ')}`] : [];
      const parts = [quantity(content.length, 'item'), ...files, ...set];
      const isPlain = versions.length === 1 && content.length === 1 && parts.length === 1;
      return isPlain ? [] : [`${whose}: ${parts.join(', ')}.`];
    }),
    ...(status === 'Draft' && scheduledAt ? [`Suggested for ${shortInstant(scheduledAt)}, not scheduled.`] : []),
    'Next: posts_validate.',
  ].join(' ');

export const describePending = (
  tool: string,
  { asks, approvalUrl, again, createdAt, expiresAt, before }: RequestedApproval,
) =>
  [
    `${tool} has not run: a human must approve it in Posthorn first, at ${approvalUrl}.`,
    `The request: ${inOneLine(asks)}`,
    again
      ? `It was asked for at ${shortInstant(createdAt)} already, and waits there until ${shortInstant(expiresAt)}.`
      : `The request waits there until ${shortInstant(expiresAt)}.`,
    ...(before?.status === 'Rejected'
      ? [`The last one was rejected at ${before.decidedAt}${describeReason(before)} Tell the user so.`]
      : []),
    ...(before?.status === 'Outdated' ? [`The one before, of ${before.createdAt}, is outdated now.`] : []),
    `Tell the user, and do not call ${tool} again for it.`,
  ].join(' ');

/** Ends the sentence with the person's reason, quoted so that it cannot pass for our own text. */
const describeReason = ({ personsReason }: RequestState) =>
  personsReason === undefined
    ? ', without a reason.'
    : `. The person who rejected it wrote: ${inOneLine(JSON.stringify(personsReason))}.`;

export const describeDuplicate = (id: string) =>
  `The draft ${id} has the same content for the same accounts. If this call was sent twice, keep one of the two, and ask for posts_delete of the other.`;

/** Approval requests about a post, appended to the text of the post. */
export const describeRequests = (requests: readonly RequestState[]) => requests.map(describeRequest).join('\n');

const describeRequest = (request: RequestState) => {
  const { action, status, asks, approvalUrl, createdAt, expiresAt, decidedAt, personsEdit } = request;
  const tool = action.replace('.', '_');
  switch (status) {
    case 'Open':
      return `${tool} waits for a human at ${approvalUrl} until ${shortInstant(expiresAt)}; do not call it again. The request: ${inOneLine(asks)}`;
    case 'Approved':
      return personsEdit === undefined
        ? `${tool} was approved at ${decidedAt}.`
        : [
            `${tool} was approved at ${decidedAt} with an edit by the person who approved it:`,
            ...personsEdit.map((line) => `- ${inOneLine(line)}`),
          ].join('\n');
    case 'Rejected':
      return `${tool}: the last request was rejected at ${decidedAt}${describeReason(request)} ${
        request.personsReason === undefined
          ? 'Ask the user before you ask for it again.'
          : 'Change the post accordingly, then you may ask again.'
      }`;
    case 'Outdated':
      return `${tool}: the request of ${createdAt} is outdated, since the post was changed after it. Ask again if it is still wanted.`;
    case 'Expired':
      return `${tool}: the request of ${createdAt} expired at ${expiresAt}, nobody decided. Ask again if it is still wanted.`;
  }
};
