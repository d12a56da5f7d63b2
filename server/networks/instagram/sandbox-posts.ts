import { graphTime } from '#server/networks/families/meta/sandbox';
import type { SandboxGrant, SandboxKit, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { userId } from './sandbox-access.ts';

const storyLifeMs = 24 * 3_600_000;

export const isStory = ({ data }: SandboxPost) => (data as { media_type?: string } | null)?.media_type === 'STORIES';

export type Posts = ReturnType<typeof createPosts>;

/** Posts, stories, and comments below them. */
export const createPosts = (kit: SandboxKit) => ({
  add: (person: SandboxPerson, post: Pick<SandboxPost, 'id' | 'text' | 'media' | 'data' | 'replyTo'>) =>
    kit.posts.add({
      ...post,
      author: userId(person),
      authorName: `@${person.handle}`,
      createdAt: kit.now().toISOString(),
    }),

  own: async (id: unknown, { person }: SandboxGrant) => {
    const post = await kit.posts.get(String(id));
    return post?.author === userId(person) ? post : undefined;
  },

  /** Whether a story has expired. */
  isOver: (post: SandboxPost) => isStory(post) && kit.now().getTime() >= Date.parse(post.createdAt) + storyLifeMs,

  nodeOf: (post: SandboxPost) => ({
    id: post.id,
    caption: post.text || undefined,
    timestamp: graphTime(post.createdAt),
    permalink: kit.link(`/web/${isStory(post) ? 'stories' : 'p'}/${post.id}`),
    shortcode: `C${post.id.slice(-10)}`,
    media_product_type: isStory(post) ? 'STORY' : 'FEED',
  }),
});
