import { type Check, checksNamed, countOf, describeDuration } from '#server/base/health/check';
import type { Database } from '#server/base/store/database';
import { createDuePostStore, type DuePostStore } from './due-post-store.ts';
import { createSendingStore } from './sending-store.ts';

/** For commands. Separate from the slice, because its rules load posts and media, which would slow every command down. */
export const openPublishingInspection = ({ database }: { database: Database }) => {
  const store = createDuePostStore(database);
  const sendingStore = createSendingStore(database);
  return {
    due: { posts: store.msToPost, sends: () => sendingStore.msToSend([]) },
    checks: { 'late posts': () => checkLatePosts(store) },
  };
};

const checkLatePosts = async (store: DuePostStore): Promise<Check> => {
  const { count, firstAt, lateMs } = await store.late();
  const posts = checksNamed('late posts');
  if (count === 0) return posts.ok('No post is late');
  return posts.failure(
    `${countOf(count, 'post')} late, the first by ${describeDuration(lateMs)} (due ${firstAt}). No process is publishing: make sure that a process with the role jobs or all runs (\`posthorn start\`), and look at its log.`,
  );
};
