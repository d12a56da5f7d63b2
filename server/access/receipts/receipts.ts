import { instantOf } from '#contracts/instant';
import type { Post } from '#contracts/posts';
import type { Receipt, ReceiptEntry } from '#contracts/receipts';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { notFound } from '#server/base/errors';
import { sha256 } from '#server/base/sha256';
import { canonicalJson, digestOf } from './canonical-json.ts';
import { toSigned } from './read-log.ts';
import type { ReceiptKeys } from './receipt-keys.ts';
import type { ReceiptRow, ReceiptStore } from './store.ts';
import { firstPrevious } from './verify-receipts.ts';

const pageLength = 500;

export interface Decision {
  readonly cardId: string;
  readonly action: string;
  readonly decision: 'Approved' | 'Rejected' | 'Reopened';
  readonly requestedBy: string;
  readonly client: string;
  readonly input: unknown;
  /** The hash of everything that the card showed. */
  readonly contentHash: Buffer;
  /** What a passkey confirmed. */
  readonly confirmation?: ReceiptEntry['confirmation'] | undefined;
  /** The post as it was decided. */
  readonly post?: Post | undefined;
  /** An approval after which the post may be published. */
  readonly canPublish: boolean;
}

type Draft = Pick<ReceiptRow, 'workspaceId' | 'kind' | 'cardId' | 'postId'> & {
  readonly fields: Omit<ReceiptEntry, 'version' | 'workspaceId' | 'number' | 'previous' | 'at'>;
};

export type Receipts = ReturnType<typeof createReceipts>;

/**
 * The log of decisions. An entry is appended in the transaction of the change that it records, so neither exists
 * without the other. It names people by id, so deleting a person changes nothing here.
 */
export const createReceipts = ({ store, keys, clock }: { store: ReceiptStore; keys: ReceiptKeys; clock: Clock }) => {
  const append = async (drafts: readonly Draft[]) => {
    const workspaceIds = drafts.map(({ workspaceId }) => workspaceId);
    const { keyId, sign } = await keys.signer();
    await store.lock(workspaceIds);
    const heads = new Map((await store.heads(workspaceIds)).map((head) => [head.workspaceId, head]));
    const at = instantOf(clock.now());
    for (const { fields, ...draft } of drafts) {
      const { workspaceId } = draft;
      const { number, hash: previous } = heads.get(workspaceId) ?? { number: 0, hash: firstPrevious };
      const entry: ReceiptEntry = { ...fields, version: 1, workspaceId, number: number + 1, previous, at };
      const body = canonicalJson(entry);
      const row = { ...draft, number: entry.number, body, hash: sha256(body, 'hex'), keyId, signature: sign(body) };
      await store.insert(row);
      heads.set(workspaceId, row);
    }
  };

  return {
    /** Called last: others wait for the lock of the log. */
    recordDecision: async ({ workspaceId, userId, means = [] }: Caller, decided: Decision) => {
      const { cardId, action, decision, requestedBy, client, confirmation, post, canPublish } = decided;
      const fields = {
        kind: 'Decision' as const,
        cardId,
        action,
        decision,
        personId: userId,
        means: [
          ...means.map((one) => (one === 'passkey' ? ('passkey-sign-in' as const) : one)),
          ...(confirmation ? ['passkey' as const] : []),
        ],
        requestedBy,
        client,
        input: digestOf(decided.input),
        content: decided.contentHash.toString('hex'),
        ...(confirmation && { confirmation }),
        ...(post && { postId: post.id, post: postDigest(post) }),
      };
      const postId = canPublish && decision === 'Approved' ? (post?.id ?? null) : null;
      await append([{ workspaceId, kind: decision, cardId, postId, fields }]);
    },

    /** Called last. Posts that no card approved have no receipt. */
    recordOutcomes: async (ended: readonly { readonly workspaceId: string; readonly post: Post }[]) => {
      if (ended.length === 0) return;
      const keysOfPosts = ended.map(({ workspaceId, post }) => ({ workspaceId, postId: post.id }));
      const approvals = new Map((await store.approvals(keysOfPosts)).map((one) => [nameOf(one), one.number]));
      const drafts = ended.flatMap(({ workspaceId, post }): Draft[] => {
        const approvedBy = approvals.get(nameOf({ workspaceId, postId: post.id }));
        if (approvedBy === undefined) return [];
        const fields = {
          kind: 'Outcome' as const,
          approvedBy,
          postId: post.id,
          post: postDigest(post),
          status: post.status === 'Published' ? ('Published' as const) : ('Failed' as const),
          results: post.results.map(({ accountId, ok, uncertain, externalId }) => ({
            accountId,
            ok,
            uncertain,
            ...(externalId !== undefined && { externalId }),
          })),
        };
        return [{ workspaceId, kind: 'Ended', cardId: null, postId: post.id, fields }];
      });
      if (drafts.length > 0) await append(drafts);
    },

    ofCard: async ({ workspaceId }: Caller, cardId: string): Promise<Receipt> => {
      const rows = await store.ofCard(workspaceId, cardId);
      if (rows.length === 0) throw notFound('receipt of an approval card', cardId);
      return { entries: rows.map(toSigned), keys: await store.publicKeys() };
    },

    page: async ({ workspaceId }: Pick<Caller, 'workspaceId'>, after: number) => {
      const rows = await store.page(workspaceId, after, pageLength + 1);
      const entries = rows.slice(0, pageLength).map(toSigned);
      return { entries, keys: await store.publicKeys(), isLast: rows.length <= pageLength };
    },

    keys: keys.list,
  };
};

/** Covers only what is published, because the rest of a post changes while it is sent. */
const postDigest = ({ accountIds, versions }: Post) => digestOf({ accountIds, versions });

const nameOf = ({ workspaceId, postId }: { workspaceId: string; postId: string }) => `${workspaceId} ${postId}`;
