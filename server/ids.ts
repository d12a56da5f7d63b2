import { randomInt } from 'node:crypto';
import { monotonicFactory, ulid as ulidOf } from 'ulid';

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
  webhook: 'whk_',
  event: 'evt_',
  delivery: 'whd_',
  session: 'ses_',
  client: 'cli_',
  registration: 'reg_',
  notification: 'ntf_',
  message: 'msg_',
  pushBrowser: 'brw_',
  comment: 'cmt_',
  share: 'shr_',
  import: 'imp_',
  slot: 'slot_',
  label: 'label_',
  template: 'tmpl_',
  chat: 'chat_',
  chatMessage: 'cmsg_',
} as const;

const resolution = 2 ** 32;

/** ulid's own source asks the system once a letter; this one reads ahead. */
const random = () => randomInt(resolution) / resolution;

/** A step back that only a clock that was set takes. */
const setBackMs = 1000;
/** For each kind, as not all of them go by the same clock. */
const makers = new Map<string, { ulid: ReturnType<typeof monotonicFactory>; atMs: number }>();

/**
 * Ids sort by creation time, also within one millisecond of one process. When the clock was set back they go back, too:
 * counted on from the last they would tell a time to come.
 */
export const newId = (kind: keyof typeof prefixes, at: Date) => {
  const atMs = at.getTime();
  const known = makers.get(kind);
  const maker = known && atMs > known.atMs - setBackMs ? known : { ulid: monotonicFactory(random), atMs };
  maker.atMs = Math.max(maker.atMs, atMs);
  makers.set(kind, maker);
  return prefixes[kind] + maker.ulid(atMs);
};

/** For what anybody may read who knows the id: within a millisecond, `newId` only counts on from the last. */
export const newSecretId = (kind: keyof typeof prefixes, at: Date) => prefixes[kind] + ulidOf(at.getTime(), random);

/** As a query or form field has them: with commas in between. */
export const idsIn = (text: string) => text.split(',').filter((id) => id !== '');

export const isMediaId = (text: string): boolean => /^media_[0-9A-Z]{26}$/.test(text);
