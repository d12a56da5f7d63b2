import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { notFound } from '#server/errors';
import { newId } from '#server/ids';
import type { TokenStore } from './store.ts';
import { hashToken, looksLikeToken, newToken } from './token-format.ts';

export interface TokenCaller {
  readonly tokenId: string;
  readonly caller: Caller;
  /** Whether the workspace shows the two statistics tools to agents. */
  readonly statisticsTools: boolean;
}

export type PersonalTokens = ReturnType<typeof createPersonalTokens>;

/** SPEC, Personal API tokens: a token acts as its user in the workspace it was made in, while the user is a member. */
export const createPersonalTokens = ({ store, clock }: { store: TokenStore; clock: Clock }) => {
  const lastUsed = new Map<string, Date>();

  return {
    /** The token itself is in this answer and nowhere else. */
    create: async (owner: Pick<Caller, 'userId' | 'workspaceId'>, name: string) => {
      const token = newToken();
      const id = newId('token', clock.now());
      const createdAt = await store.insert({ id, ...owner, name, hash: hashToken(token) });
      return { id, name, createdAt, token };
    },

    /** Of all workspaces of the user, or of one. */
    list: (owner: { userId: string; workspaceId?: string }) => store.list(owner),

    /** With an owner, only a token of theirs. */
    revoke: async (id: string, owner?: { userId: string }) => {
      const workspaceId = await store.revoke(id, owner);
      if (workspaceId === undefined) throw notFound('token', id);
      return workspaceId;
    },

    /** When somebody leaves a workspace, or the account becomes another person's. */
    revokeAll: (owner: { userId: string; workspaceId?: string }) => store.revokeAll(owner),

    check: async (token: string): Promise<TokenCaller | undefined> => {
      if (!looksLikeToken(token)) return undefined;
      const found = await store.find(hashToken(token));
      if (found === undefined) return undefined;
      lastUsed.set(found.tokenId, clock.now());
      const { tokenId, name, member, statisticsTools } = found;
      return { tokenId, caller: { ...member, human: false, client: { kind: 'Token', name } }, statisticsTools };
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
