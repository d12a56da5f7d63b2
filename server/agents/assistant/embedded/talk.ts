import type { ErrorBody, Issue } from '#contracts/errors';
import type { Post } from '#contracts/posts';

/** An action that the embedded model calls. */
export interface ActionCall {
  readonly action: string;
  readonly input: Record<string, unknown>;
}

/** Yields action calls and returns the answer. It is replayed from its start at every step. */
export type Talk<Result = string> = Generator<ActionCall, Result, unknown>;

export interface UserRequest {
  readonly text: string;
  readonly now: Date;
  readonly timeZone: string;
  /** The last post that this chat was about. */
  readonly lastPostId: string | undefined;
  readonly sees: boolean;
}

export class RefusedAction extends Error {
  readonly code: string;
  readonly issues: readonly Issue[];

  constructor({ code, message, issues = [] }: Partial<ErrorBody>) {
    super(message);
    this.code = code ?? '';
    this.issues = issues;
  }
}

/** The action waits for a person's approval, which ends the answer. */
export class PendingApproval extends Error {
  readonly action: string;

  constructor(action: string) {
    super(action);
    this.action = action;
  }
}

/** The request is ambiguous. The message, usually a question, becomes the answer. */
export class Unclear extends Error {}

interface Outcome {
  readonly error?: Partial<ErrorBody>;
  readonly leftOut?: string;
  readonly part?: unknown;
  readonly status?: string;
}

export function* use<Output>(
  action: string,
  input: Record<string, unknown> = {},
  { acceptsPart = false } = {},
): Talk<Output> {
  const output = (yield { action, input }) as Outcome | undefined;
  if (output?.error) throw new RefusedAction(output.error);
  if (output?.status === 'pending_approval') throw new PendingApproval(action);
  if (output?.leftOut === undefined) return output as Output;
  if (acceptsPart && typeof output.part === 'object') return output.part as Output;
  throw new Unclear('That is too long for me. Open it in the app, or ask for less.');
}

const postId = /\bpost_[0-9A-Z]{20,30}\b/;
const isHere = /\b(this|open|current)\s+(post|draft|one|text)\b|\bhere\b|\bwhat i('m| am) looking at\b/i;
/** `the sourdough post` */
const withWordsBefore =
  /\b(?:the|my|our)\s+(?!(?:open|current|last|next|new|same|whole)\b)([^,.;:]{2,60}?)\s+(?:post|draft)\b/i;
const withWords = /\b(?:post|draft)s?\s+(?:about|called|named|titled|with|that says|saying)\s+(.+)$/i;

/** By id, by some words of the post, `this post` for the open one, or `it` for the last one in the chat. */
export function* resolvePost({ text, lastPostId, sees }: UserRequest): Talk<string> {
  const [id] = postId.exec(text) ?? [];
  if (id !== undefined) return id;
  const words =
    quotedIn(text)?.text ?? withWords.exec(text)?.[1]?.replace(/[.?!]+$/, '') ?? withWordsBefore.exec(text)?.[1];
  if (words !== undefined) return yield* postWith(words);
  if (lastPostId !== undefined && !(sees && isHere.test(text))) return lastPostId;
  if (sees) {
    const { postId: open } = yield* use<{ postId?: string }>('ui.getContext');
    if (open !== undefined) return open;
  }
  if (lastPostId !== undefined) return lastPostId;
  throw new Unclear('Which post? Open it first, or name some of its words, such as: publish the post about bread.');
}

function* postWith(words: string): Talk<string> {
  const { matches } = yield* postsWith(words);
  const [only, another] = matches;
  if (only === undefined) throw new Unclear(`I found no post with ${JSON.stringify(words)} in it.`);
  if (another !== undefined) {
    throw new Unclear(`${matches.length} posts have these words. Open the one that you mean, then say this post.`);
  }
  return only.id;
}

const maxPages = 3;

/** Newest first, at most three pages. */
export function* postsWith(words: string, status?: Post['status']): Talk<{ matches: Post[]; more: boolean }> {
  const matches: Post[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { posts, nextCursor } = yield* use<{ posts: Post[]; nextCursor?: string }>(
      'posts.list',
      { limit: 20, query: words.slice(0, 200), ...(status && { status }), ...(cursor && { cursor }) },
      { acceptsPart: true },
    );
    matches.push(...posts.filter((post) => textOf(post).toLowerCase().includes(words.toLowerCase())));
    cursor = nextCursor;
    // The next scheduled post may be the oldest one.
    if (cursor === undefined || (words === '' && status !== 'Scheduled')) break;
  }
  return { matches, more: cursor !== undefined };
}

/** The text of the original version. */
export const textOf = ({ versions }: Pick<Post, 'versions'>) =>
  (versions.find(({ accountId }) => !accountId) ?? versions[0])?.content.map(({ body }) => body).join('\n') ?? '';

/** The text in quotation marks, and the text around it. */
export const quotedIn = (text: string) => {
  const match = /["“„«]([\s\S]+)["”“»]/.exec(text);
  return match?.[1] === undefined
    ? undefined
    : { text: match[1].trim(), around: `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}` };
};
