import { randomInt } from 'node:crypto';
import { monotonicFactory, ulid as ulidOf } from 'ulid';

const prefixes = {
  post: 'post_',
  account: 'acct_',
  media: 'media_',
  upload: 'upl_',
  token: 'tok_',
  user: 'usr_',
  workspace: 'ws_',
  card: 'card_',
  confirmation: 'cnf_',
  conversation: 'conv_',
  invitation: 'inv_',
  audit: 'aud_',
  webhook: 'whk_',
  event: 'evt_',
  delivery: 'whd_',
  session: 'ses_',
  client: 'cli_',
  registration: 'reg_',
  passkey: 'pky_',
  notification: 'ntf_',
  message: 'msg_',
  pushBrowser: 'brw_',
  comment: 'cmt_',
  share: 'shr_',
  advice: 'adv_',
  import: 'imp_',
  slot: 'slot_',
  label: 'label_',
  template: 'tmpl_',
  chat: 'chat_',
  chatMessage: 'cmsg_',
  backup: 'bak_',
  hold: 'hold_',
} as const;

const resolution = 2 ** 32;

/** ulid's default source makes a system call per character; `randomInt` fills a cache. */
const random = () => randomInt(resolution) / resolution;

/** The clock was set if it goes back by at least this much. */
const setBackMs = 1000;
/** One per kind: some kinds use the wall clock, others the sandbox clock. */
const generators = new Map<string, { ulid: ReturnType<typeof monotonicFactory>; atMs: number }>();

/**
 * Ids sort by creation time, even within one millisecond of one process. A monotonic factory never goes back, so after
 * the clock was set back it would keep writing future times into ids; a new factory starts from the new time.
 */
export const newId = (kind: keyof typeof prefixes, at: Date) => {
  const atMs = at.getTime();
  const last = generators.get(kind);
  const generator = last && atMs > last.atMs - setBackMs ? last : { ulid: monotonicFactory(random), atMs };
  generator.atMs = Math.max(generator.atMs, atMs);
  generators.set(kind, generator);
  return prefixes[kind] + generator.ulid(atMs);
};

/**
 * For records that anybody with the id may read: within one millisecond, ids of `newId` can be guessed by counting up.
 */
export const newSecretId = (kind: keyof typeof prefixes, at: Date) => prefixes[kind] + ulidOf(at.getTime(), random);

/** Parses a comma-separated query or form field. */
export const idsIn = (text: string) => text.split(',').filter((id) => id !== '');

export const isMediaId = (text: string): boolean => /^media_[0-9A-Z]{26}$/.test(text);
