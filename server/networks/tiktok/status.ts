import { z } from 'zod';
import type { NetworkAccount, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';

const Answer = z.object({
  data: z.object({
    status: z.string(),
    fail_reason: z.string().optional(),
    uploaded_bytes: z.number().default(0),
  }),
});

export interface Status {
  readonly said: string;
  readonly failReason: string;
  readonly uploadedBytes: number;
  readonly publicIds: readonly string[];
}

/** The state of a post that TikTok is processing; undefined when TikTok does not know it. */
export const readStatus = async (
  site: Site,
  account: NetworkAccount,
  publishId: string,
): Promise<Status | undefined> => {
  try {
    const answer = await ask(site, account, { path: '/post/publish/status/fetch/', json: { publish_id: publishId } });
    const { status, fail_reason, uploaded_bytes } = shaped(Answer, answer).data;
    return {
      said: status,
      failReason: fail_reason ?? '',
      uploadedBytes: uploaded_bytes,
      publicIds: publicIdsIn(answer.text),
    };
  } catch (error) {
    if (error instanceof NetworkTrouble && error.networkCode === 'invalid_publish_id') return undefined;
    throw error;
  }
};

/**
 * The ids exceed JavaScript's safe integers, so they are read from the raw text. TikTok really spells it `publicaly`.
 */
const publicIdsIn = (text: string): string[] =>
  /"publica?ly_available_post_id"\s*:\s*\[([^\]]*)\]/.exec(text)?.[1]?.match(/\d+/g) ?? [];
