import type { ErrorBody, Issue } from '#contracts/errors';
import type { Post } from '#contracts/posts';

/** An action that the embedded model wants to use. */
export interface Use {
  readonly action: string;
  readonly input: Record<string, unknown>;
}

/** Uses actions one after the other and ends with the answer. Played again from its start at every step. */
export type Talk<Result = string> = Generator<Use, Result, unknown>;

export interface Asked {
  readonly text: string;
  readonly now: Date;
  readonly timeZone: string;
  /** The post that this chat was last about. */
  readonly lastPostId: string | undefined;
  readonly sees: boolean;
}

/** An action said no. */
export class Refused extends Error {
  readonly code: string;
  readonly issues: readonly Issue[];

  constructor({ code, message, issues = [] }: Partial<ErrorBody>) {
    super(message);
    this.code = code ?? '';
    this.issues = issues;
  }
}

/** It waits for a person; the answer ends with it. */
export class Waiting extends Error {
  readonly action: string;

  constructor(action: string) {
    super(action);
    this.action = action;
  }
}

/** Nobody can tell what is meant: the answer is a question. */
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
  { partWillDo = false } = {},
): Talk<Output> {
  const output = (yield { action, input }) as Outcome | undefined;
  if (output?.error) throw new Refused(output.error);
  if (output?.status === 'pending_approval') throw new Waiting(action);
  if (output?.leftOut === undefined) return output as Output;
  if (partWillDo && typeof output.part === 'object') return output.part as Output;
  throw new Unclear('That is too long for me. Open it in the app, or ask for less.');
}

const postId = /\bpost_[0-9A-Z]{20,30}\b/;
const isHere = /\b(this|open|current)\s+(post|draft|one|text)\b|\bhere\b|\bwhat i('m| am) looking at\b/i;
const withWords = /\b(?:post|draft)s?\s+(?:about|called|named|titled|with|that says|saying)\s+(.+)$/i;

/** `this post` is the one that is open; `it` is the one that the chat was about; otherwise some words of it. */
export function* postMeant({ text, lastPostId, sees }: Asked): Talk<string> {
  const [id] = postId.exec(text) ?? [];
  if (id !== undefined) return id;
  const words = quotedIn(text)?.text ?? withWords.exec(text)?.[1]?.replace(/[.?!]+$/, '');
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
  const { found } = yield* postsWith(words);
  const [only, another] = found;
  if (only === undefined) throw new Unclear(`I found no post with ${JSON.stringify(words)} in it.`);
  if (another !== undefined) {
    throw new Unclear(`${found.length} posts have these words. Open the one that you mean, then say this post.`);
  }
  return only.id;
}

const searchedPages = 3;

/** The newest first; a workspace with very many posts is not read to its end. */
export function* postsWith(words: string, status?: Post['status']): Talk<{ found: Post[]; more: boolean }> {
  const found: Post[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < searchedPages; page++) {
    const { posts, nextCursor } = yield* use<{ posts: Post[]; nextCursor?: string }>(
      'posts.list',
      { limit: 20, ...(status && { status }), ...(cursor && { cursor }) },
      { partWillDo: true },
    );
    found.push(...posts.filter((post) => textOf(post).toLowerCase().includes(words.toLowerCase())));
    cursor = nextCursor;
    if (cursor === undefined || words === '') break;
  }
  return { found, more: cursor !== undefined };
}

/** Of the original version. */
export const textOf = ({ versions }: Pick<Post, 'versions'>) =>
  (versions.find(({ accountId }) => !accountId) ?? versions[0])?.content.map(({ body }) => body).join('\n') ?? '';

/** What stands in quotation marks, and what is around it. */
export const quotedIn = (text: string) => {
  const found = /["“„«]([\s\S]+)["”“»]/.exec(text);
  return found?.[1] === undefined
    ? undefined
    : { text: found[1].trim(), around: `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}` };
};
