import { type Check, checksNamed, countOf, describeDuration } from '#server/check';
import type { Database } from '#server/store/database';
import { createPublishingStore } from './store.ts';

export const nextPost = (database: Database) => createPublishingStore(database).msToPost();
export const nextSend = (database: Database) => createPublishingStore(database).msToSend([]);

export const checkLatePosts = async (database: Database): Promise<Check> => {
  const { count, firstAt, lateMs } = await createPublishingStore(database).late();
  const posts = checksNamed('late posts');
  if (count === 0) return posts.ok('No post is late');
  return posts.failure(
    `${countOf(count, 'post')} late, the first by ${describeDuration(lateMs)} (due ${firstAt}). Nothing publishes: make sure that a process with the role jobs or all runs (\`posthorn start\`), and look at its log.`,
  );
};
