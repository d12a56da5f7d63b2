import { z } from 'zod';
import type { NetworkAccount, NetworkMedia, NetworkPost, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isOn, option } from '#server/networks/shared/post';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';

export const privacyLabels = {
  PUBLIC_TO_EVERYONE: 'Everyone',
  MUTUAL_FOLLOW_FRIENDS: 'Friends',
  FOLLOWER_OF_CREATOR: 'Followers',
  SELF_ONLY: 'Only you',
} as const;

export const everyone = 'PUBLIC_TO_EVERYONE';
const onlyYou = 'SELF_ONLY';

export const labelOf = (privacy: string) => privacyLabels[privacy as keyof typeof privacyLabels] ?? privacy;

const Answer = z.object({
  data: z.object({
    creator_username: z.string(),
    creator_nickname: z.string().optional(),
    privacy_level_options: z.array(z.string()),
    comment_disabled: z.boolean().default(false),
    duet_disabled: z.boolean().default(false),
    stitch_disabled: z.boolean().default(false),
    max_video_post_duration_sec: z.number().positive(),
  }),
});

/** What the account may do right now; TikTok requires asking before every post. */
interface Creator {
  readonly username: string;
  readonly nickname: string | undefined;
  readonly privacyOptions: readonly string[];
  readonly commentsOff: boolean;
  readonly duetsOff: boolean;
  readonly stitchesOff: boolean;
  readonly maxVideoSeconds: number;
}

export const readCreator = async (site: Site, account: Pick<NetworkAccount, 'tokens'>): Promise<Creator> => {
  const answer = await ask(site, account, { path: '/post/publish/creator_info/query/', json: {} });
  const { data } = shaped(Answer, answer);
  return {
    username: data.creator_username,
    nickname: data.creator_nickname,
    privacyOptions: data.privacy_level_options,
    commentsOff: data.comment_disabled,
    duetsOff: data.duet_disabled,
    stitchesOff: data.stitch_disabled,
    maxVideoSeconds: data.max_video_post_duration_sec,
  };
};

/** Undefined when the account may choose it. */
const privacyProblem = (privacy: string, offered: readonly string[]): string | undefined =>
  offered.includes(privacy)
    ? undefined
    : `TikTok does not offer “${labelOf(privacy)}” to this account: choose ${offered.map(labelOf).join(', ')}.`;

/** Who will see the post. The account's own settings may have changed since the post was written. */
export const privacyFor = (post: NetworkPost, { privacyOptions }: Creator): string => {
  const privacy = option(post, 'tiktok.privacy');
  const problem = privacyProblem(privacy, privacyOptions);
  if (problem !== undefined) {
    throw new NetworkTrouble('content', problem, { networkCode: 'privacy_level_option_mismatch' });
  }
  if (privacy === onlyYou && isOn(post, 'tiktok.brand_content')) {
    throw new NetworkTrouble(
      'content',
      'A paid partnership cannot be visible only to you, and the account may not post to everyone: change who can see it.',
    );
  }
  return privacy;
};

export const refuseTooLong = ({ durationMs = 0 }: NetworkMedia, { maxVideoSeconds }: Creator): void => {
  if (durationMs <= maxVideoSeconds * 1000) return;
  throw new NetworkTrouble('media', `TikTok takes videos of up to ${maxVideoSeconds} seconds from this account.`);
};
