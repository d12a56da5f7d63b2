import type { Database } from '#server/base/store/database';
import { createInvitationStore } from './invitation-store.ts';
import { createMemberStore } from './member-store.ts';
import { createUserStore } from './user-store.ts';
import { createWorkspaceStore } from './workspace-store.ts';

export type Stores = ReturnType<typeof createStores>;

export const createStores = (database: Database) => ({
  userStore: createUserStore(database),
  workspaceStore: createWorkspaceStore(database),
  memberStore: createMemberStore(database),
  invitationStore: createInvitationStore(database),
});
