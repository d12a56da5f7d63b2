import { z } from 'zod';
import type { NetworkAccount, Site } from '#server/networks/network';
import { type NetworkAnswer, retryAt } from '#server/networks/request';
import { NetworkTrouble, type TroubleKind } from '#server/networks/trouble';

/**
 * Calls TikTok's API with the account's token. Some refusals come with HTTP 200, so every code but `ok` is an error.
 */
export const ask = async (
  site: Site,
  { tokens }: Pick<NetworkAccount, 'tokens'>,
  { path, query, json }: { path: string; query?: Record<string, string>; json?: unknown },
): Promise<NetworkAnswer> => {
  const answer = await site.request({
    url: `${site.host('api')}/v2${path}`,
    ...(query && { query }),
    ...(json !== undefined && { json }),
    headers: {
      authorization: `Bearer ${tokens.accessToken}`,
      ...(json !== undefined && { 'content-type': 'application/json; charset=UTF-8' }),
    },
  });
  const code = errorOf(answer)?.code;
  if (answer.status >= 400 || (code !== undefined && code !== 'ok')) throw troubleOf(answer, site.now());
  return answer;
};

const Refusal = z.object({ error: z.object({ code: z.string(), message: z.string().optional() }) });

const errorOf = ({ json }: NetworkAnswer) => Refusal.safeParse(json).data?.error;

const dailyEnd = 'TikTok accepts no more posts of this account through apps today. Try again tomorrow.';

/** Error codes of requests, and those of a post that failed in processing. */
const byCode: Readonly<Record<string, readonly [TroubleKind, string]>> = {
  access_token_invalid: ['token', 'TikTok refused our access.'],
  auth_removed: ['token', 'The account took our access away. Connect it again.'],
  scope_not_authorized: ['permission', 'The account did not allow this. Connect it again and allow everything.'],
  scope_permission_missed: ['permission', 'The account did not allow this. Connect it again and allow everything.'],
  rate_limit_exceeded: ['rateLimited', 'TikTok asks to wait before the next post.'],
  spam_risk_too_many_posts: ['rateLimited', dailyEnd],
  spam_risk_too_many_pending_share: ['rateLimited', dailyEnd],
  reached_active_user_cap: [
    'rateLimited',
    'The TikTok app of this server has reached the number of people that may post through it in a day. Try again tomorrow.',
  ],
  spam_risk_user_banned_from_posting: [
    'content',
    'TikTok does not let this account post. Open TikTok to see why, then publish again.',
  ],
  spam_risk_text: ['content', 'TikTok takes the text for spam. Change it, then publish again.'],
  spam_risk: ['content', 'TikTok takes the post for spam. Change it, then publish again.'],
  unaudited_client_can_only_post_to_private_accounts: [
    'content',
    'TikTok has not reviewed the app of this server yet. Until then it takes only posts that “Only you” can see, of private accounts: choose that, or ask the operator to apply for the review.',
  ],
  privacy_level_option_mismatch: [
    'content',
    'TikTok does not offer this choice of who can see the post to the account. Choose another.',
  ],
  publish_cancelled: ['content', 'The post was cancelled at TikTok. Publish again.'],
  url_ownership_unverified: [
    'media',
    'TikTok fetches photos only from addresses that the operator of this server has verified: they add the address of BASE_URL under “URL properties” of the TikTok app.',
  ],
  app_version_check_failed: [
    'content',
    'The TikTok app of this person is too old to take the draft. Update it there, or send it as a post.',
  ],
  invalid_file_upload: ['media', 'TikTok cannot use the file. Choose another.'],
  file_format_check_failed: ['media', 'TikTok does not accept this kind of file. Choose another.'],
  duration_check_failed: ['media', 'TikTok does not accept a video of this length. Choose another.'],
  frame_rate_check_failed: ['media', 'TikTok accepts videos with 23 to 60 frames per second. Choose another.'],
  picture_size_check_failed: ['media', 'TikTok does not accept pictures of this size. Choose another file.'],
  video_pull_failed: ['media', 'TikTok could not fetch the video. Publish again.'],
  photo_pull_failed: [
    'media',
    'TikTok could not fetch the photos. They have to be reachable from the internet; then publish again.',
  ],
};

export const troubleFor = (code: string, said = ''): NetworkTrouble => {
  const [kind, message] = (Object.hasOwn(byCode, code) ? byCode[code] : undefined) ?? [
    'content',
    `TikTok refused the post: ${said || code}`,
  ];
  return new NetworkTrouble(kind, message, { networkCode: code });
};

export const troubleOf = (answer: NetworkAnswer, now: Date): NetworkTrouble => {
  const { status, headers } = answer;
  const { code = String(status), message } = errorOf(answer) ?? {};
  if (status === 429) {
    const until = retryAt(headers['retry-after'], now);
    return new NetworkTrouble('rateLimited', 'TikTok asks to wait before the next post.', {
      networkCode: code,
      ...(until && { until }),
    });
  }
  if (Object.hasOwn(byCode, code)) return troubleFor(code);
  if (status === 401) return new NetworkTrouble('token', 'TikTok refused our access.', { networkCode: code });
  if (status >= 500 || code === 'internal_error') {
    return new NetworkTrouble('temporary', 'TikTok is not available.', { networkCode: code });
  }
  return troubleFor(code, message);
};

/** The upload address answers with only a status. An expired address is not a fault of the video. */
export const uploadTrouble = (answer: NetworkAnswer, now: Date): NetworkTrouble => {
  if (errorOf(answer) !== undefined || answer.status === 429 || answer.status >= 500) return troubleOf(answer, now);
  const networkCode = String(answer.status);
  return answer.status === 400
    ? new NetworkTrouble('media', 'TikTok did not take the bytes of the video. Publish again.', { networkCode })
    : new NetworkTrouble('temporary', 'TikTok no longer takes this upload. Publish again.', { networkCode });
};
