import type { Permission } from '#server/networks/network';

export const permission = {
  profile: ['See your name and picture', 'For the account list and the previews.'],
  readPosts: ['Read your posts', 'To show results and to check that a post is there.'],
  publish: ['Publish posts for you', 'Only what you schedule, publish or approve.'],
  upload: ['Upload pictures and videos', 'They go out with a post, never alone.'],
  comment: ['Comment for you', 'For the first comment of a post.'],
  readComments: ['Read comments', 'To find its own comments again and to count those of others.'],
  numbers: ['Read numbers', 'How often your posts were seen and liked.'],
} as const satisfies Record<string, Permission>;
