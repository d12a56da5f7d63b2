import { bounds } from '#server/bounds';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { notFound, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { Live } from '#server/live/open-tabs';
import { createCallerMemory } from './caller-memory.ts';
import type { TokenStore } from './store.ts';
import { hashToken, looksLikeToken, newToken } from './token-format.ts';

/** How long after its end a token is still known to the database. */
const revokedMs = 30 * 24 * 3_600_000;

export interface TokenCaller {
  readonly tokenId: string;
  readonly caller: Caller;
  /** Whether the workspace shows the two statistics tools to agents. */
  readonly statisticsTools: boolean;
}

export type PersonalTokens = ReturnType<typeof createPersonalTokens>;

/** SPEC, Personal API tokens: a token acts as its user in the workspace it was made in, while the user is a member. */
export const createPersonalTokens = ({ store, live, clock }: { store: TokenStore; live: Live; clock: Clock }) => {
  const lastUsed = new Map<string, Date>();
  const memory = createCallerMemory<TokenCaller>({ live });

  const find = async (token: string): Promise<TokenCaller | undefined> => {
    const found = await store.find(hashToken(token));
    if (found === undefined) return undefined;
    const { tokenId, name, member, statisticsTools } = found;
    const known = {
      tokenId,
      caller: { ...member, human: false, client: { kind: 'Token', name } },
      statisticsTools,
    } as const;
    memory.set(token, known);
    return known;
  };

  return {
    transaction: store.transaction,

    /** The token itself is in this answer and nowhere else. */
    create: async (owner: Pick<Caller, 'userId' | 'workspaceId'>, name: string) => {
      const token = newToken();
      const id = newId('token', clock.now());
      const createdAt = await store.insert({ id, ...owner, name, hash: hashToken(token) }, bounds.tokens);
      if (createdAt === undefined) {
        throw new Refusal('Conflict', `You have ${bounds.tokens} tokens. Revoke one that is not used any more.`);
      }
      return { id, name, createdAt, token };
    },

    /** Those that were revoked long ago. */
    purge: () => store.purge(new Date(clock.now().getTime() - revokedMs)),

    /** Of all workspaces of the user, or of one. */
    list: (owner: { userId: string; workspaceId?: string }) => store.list(owner),

    /** With an owner, only a token of theirs. */
    revoke: async (id: string, owner?: { userId: string }) => {
      const revoked = await store.revoke(id, owner);
      if (revoked === undefined) throw notFound('token', id);
      await live.accessChanged(revoked.userId);
      return revoked.workspaceId;
    },

    /** When the account becomes another person's, or somebody wants to be rid of them. */
    revokeAll: async (userId: string) => {
      const count = await store.revokeAll({ userId });
      await live.accessChanged(userId);
      return count;
    },

    /** When somebody leaves a workspace. Whoever calls this says that access has changed. */
    revokeIn: (membership: { userId: string; workspaceId: string }) => store.revokeAll(membership),

    check: async (token: string): Promise<TokenCaller | undefined> => {
      const found = memory.get(token) ?? (looksLikeToken(token) ? await find(token) : undefined);
      if (found) lastUsed.set(found.tokenId, clock.now());
      return found;
    },

    /** Called once a minute and at the end, so that a request costs no write. */
    saveLastUsed: async () => {
      if (lastUsed.size === 0) return;
      const used = [...lastUsed];
      lastUsed.clear();
      await store.saveLastUsed(used);
    },
  };
};
