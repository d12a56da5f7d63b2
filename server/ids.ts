import { monotonicFactory } from 'ulid';

const prefixes = {
  post: 'post_',
  account: 'acct_',
  media: 'media_',
  token: 'tok_',
  user: 'usr_',
  workspace: 'ws_',
  card: 'card_',
  conversation: 'conv_',
  invitation: 'inv_',
  audit: 'aud_',
} as const;

const ulid = monotonicFactory();

/** Ids sort by creation time, also within one millisecond of one process. */
export const newId = (kind: keyof typeof prefixes, at: Date) => prefixes[kind] + ulid(at.getTime());
