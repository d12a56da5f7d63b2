import type { Clock, Stopwatch } from '#server/base/clock';
import { sha256 } from '#server/base/sha256';
import type { AccountAccess, OpenAccess } from '#server/connecting/accounts/access';
import type { FittedFiles } from '#server/media/fitted-files';
import type { MediaLibrary } from '#server/media/library';
import type { NetworkItem, NetworkPost, PublishMedia, Sending, Sent } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { NewStep } from './progress.ts';
import type { ClaimKey, EndedSend, Progress, PublicCall, SendRow } from './sending-store.ts';

/**
 * A claimed row. `heldMs` is a lower bound of the time since the claim, because its clock stops while the machine sleeps;
 * `heldAtMostMs` is an upper bound. Waiting for a request to settle needs the lower, checking for lateness the upper.
 */
export interface ClaimedRow extends SendRow {
  heldMs(): number;
  heldAtMostMs: Stopwatch;
  /** Frees the network's slot for the next post, because only the result is left to record. */
  releaseSlot(): void;
}

export interface SendingParts {
  readonly access: AccountAccess;
  readonly library: MediaLibrary;
  readonly fittedFiles: FittedFiles;
  readonly networks: Networks;
  readonly clock: Clock;
  readonly startStopwatch: () => Stopwatch;
  readonly graceMs: number;
  /** A send must be written within this time after it was marked as begun. Later, another process may hold the row. */
  readonly sendWithinMs: number;
  /** Waits for a slot to mark a send as begun and write it. Resolves with a function that releases the slot. */
  readonly waitForMarkSlot: (row: SendRow) => Promise<() => void>;
  /** When it was marked; undefined when another process holds the row. */
  readonly markBegun: (row: SendRow, call: PublicCall) => Promise<string | undefined>;
  readonly save: (progress: Progress) => Promise<{ key: string; since: string; isHeld: boolean } | undefined>;
  /** Another key for the same part; undefined when another process holds the row. */
  readonly renewKey: (claimKey: ClaimKey) => Promise<{ key: string; since: string } | undefined>;
  readonly end: (ended: EndedSend & { readonly row: ClaimedRow }) => Promise<void>;
  /** Called right before the request that makes something public. */
  readonly onSending: (row: SendRow) => void;
  /** Shows a step to people who watch. Returns at once and never throws. */
  readonly note: (row: SendRow, step: NewStep) => void;
  readonly readPicture: (picture: string) => Promise<Buffer | undefined>;
  readonly report: (error: unknown) => void;
}

/** A claimed row whose account was opened, with its progress. */
export interface OpenSend {
  readonly row: ClaimedRow;
  readonly opened: OpenAccess;
  readonly post: NetworkPost<PublishMedia>;
  readonly count: number;
  readonly sent: readonly Sent[];
  readonly key: string;
  readonly since: string;
  readonly tries: number;
  /** Tokens were already refreshed once for this send; do not refresh again. */
  readonly hasRefreshedTokens: boolean;
}

export const partOf = ({ opened, post, sent }: OpenSend): NetworkItem<PublishMedia> => {
  const part = opened.network.parts(post)[sent.length];
  if (part === undefined) throw new Error('All parts are already published.');
  return part;
};

/** With the text that was sent, even if the post was edited since. */
export const begunPartOf = ({ opened, post, sent, row }: OpenSend): NetworkItem<PublishMedia> => {
  const part = opened.network.parts(post)[sent.length] ?? { body: '', media: [] };
  return { ...part, body: row.begunBody ?? part.body };
};

export const sendingOf = (state: OpenSend, readPicture: SendingParts['readPicture'], part = partOf(state)): Sending => {
  const { opened, post, sent, key, since } = state;
  return {
    account: opened.account,
    post,
    index: sent.length,
    part,
    out: sent,
    key: keyOf(key, sent.length),
    firstTriedAt: new Date(since),
    since: new Date(since),
    readPicture,
  };
};

export const claimKeyOf = ({ workspaceId, postId, accountId, claim, key }: SendRow) => ({
  workspaceId,
  postId,
  accountId,
  claim,
  key,
});

/** The network answered 503, or the sending process never recorded an answer; and the request was not repeated yet. */
export const mayRepeat = ({ begunAt, lostAt, repeat }: SendRow) =>
  repeat === 'may' || (repeat === null && begunAt !== null && lostAt === null);

/** The server that answers for an account: where everybody can run one, networks have many. */
export const serverOf = ({ account: { network, sandbox, server } }: SendRow) => `${network} ${sandbox} ${server}`;

/** A UUID for each part, derived from the row's key. */
const keyOf = (key: string, index: number) => {
  const hex = sha256(`${key} ${index}`, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
