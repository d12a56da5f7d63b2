import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Live } from '#server/base/live/live';
import { createCallerCache } from './caller-cache.ts';
import type { TokenStore } from './personal-token-store.ts';
import type { Claim, Rights } from './rights.ts';
import { factorMissing } from './sign-ins.ts';
import { hashToken, looksLikeToken, newToken } from './token-format.ts';

/** How long a revoked token stays in the database. */
const revokedRetentionMs = 30 * 24 * 3_600_000;

export interface TokenCaller {
  readonly tokenId: string;
  readonly caller: Caller;
  /** Whether the workspace shows the two statistics tools to agents. */
  readonly statisticsTools: boolean;
}

export type PersonalTokens = ReturnType<typeof createPersonalTokens>;

/** SPEC, Personal API tokens: a token acts as its user in the workspace it was made in, while the user is a member. */
export const createPersonalTokens = ({
  store,
  rights,
  live,
  clock,
}: {
  store: TokenStore;
  rights: Rights;
  live: Live;
  clock: Clock;
}) => {
  const lastUsed = new Map<string, Date>();
  const cache = createCallerCache<TokenCaller>({ live });

  const find = async (token: string): Promise<TokenCaller | undefined> => {
    const row = await store.find(hashToken(token));
    if (row === undefined) return undefined;
    const { tokenId, name, member, statisticsTools, lacksFactor } = row;
    if (lacksFactor) throw factorMissing();
    const tokenCaller = {
      tokenId,
      caller: {
        ...member,
        mayPublish: false,
        isPerson: false,
        client: { kind: 'Token', name },
        uploadAccess: { tokenId },
      },
      statisticsTools,
    } as const;
    cache.set(token, tokenCaller);
    return tokenCaller;
  };

  return {
    transaction: store.transaction,

    /** The result is the only place that holds the token itself; the database has its hash. */
    create: (caller: Claim, name: string) =>
      store.transaction(async () => {
        const owner = await rights.mustHold(caller);
        const token = newToken();
        const id = newId('token', clock.now());
        const createdAt = await store.insert({ id, owner, name, hash: hashToken(token) }, bounds.tokens);
        if (createdAt === undefined) {
          throw new Refusal('Conflict', `You have ${bounds.tokens} tokens. Revoke one that is not used any more.`);
        }
        return { id, name, createdAt, token };
      }),

    purge: () => store.purge(new Date(clock.now().getTime() - revokedRetentionMs)),

    /** In one workspace, or in all workspaces of the user. */
    list: (owner: { userId: string; workspaceId?: string }) => store.list(owner),

    /** With an owner, revokes only a token of that person. */
    revoke: async (id: string, owner?: { userId: string }) => {
      const revoked = await store.revoke(id, owner);
      if (revoked === undefined) throw notFound('token', id);
      await live.accessChanged(revoked.userId);
      return revoked.workspaceId;
    },

    /** For example when the account passes to another person. */
    revokeAll: async (userId: string) => {
      const count = await store.revokeAll({ userId });
      await live.accessChanged(userId);
      return count;
    },

    /** When somebody leaves a workspace. The caller announces that access has changed. */
    revokeIn: (membership: { userId: string; workspaceId: string }) => store.revokeAll(membership),

    check: async (token: string): Promise<TokenCaller | undefined> => {
      const tokenCaller = cache.get(token) ?? (looksLikeToken(token) ? await find(token) : undefined);
      if (tokenCaller) lastUsed.set(tokenCaller.tokenId, clock.now());
      return tokenCaller;
    },

    /** Called once a minute and on stop, so that a request needs no write. */
    saveLastUsed: async () => {
      if (lastUsed.size === 0) return;
      const used = [...lastUsed];
      lastUsed.clear();
      await store.saveLastUsed(used);
    },
  };
};
