import type { Response } from 'express';
import { z } from 'zod';
import type { SandboxKit, SandboxPerson } from '#server/networks/sandbox';
import { invalid, privacyOptions, refuse } from './sandbox-access.ts';

/** Publishing steps that videos and photos share. */

export const privacyLevel = z.enum(['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY']);
export const toggles = { brand_content_toggle: z.boolean().optional(), brand_organic_toggle: z.boolean().optional() };

/** One attempt to post. */
export type Publish = {
  owner: string;
  kind: 'video' | 'photo';
  /** A draft, which the person finishes in the app. */
  isDraft: boolean;
  postId: string;
  info: Record<string, string | number | boolean>;
  begunAt: string;
  /** The upload of a video. */
  size: number;
  chunkSize: number;
  chunks: number;
  received: number;
  takenAt?: string;
  failReason?: string;
  asked: number;
};

export const createPublishing = (kit: SandboxKit) => ({
  keep: (publishId: string, publish: Publish) => kit.records.put('publish', publishId, publish),
  find: (publishId: string) => kit.records.get<Publish>('publish', publishId),

  begin: (
    person: SandboxPerson,
    { kind, info, isDraft = false }: Pick<Publish, 'kind' | 'info'> & { isDraft?: boolean },
  ): Publish => ({
    owner: person.id,
    kind,
    isDraft,
    postId: kit.newId(),
    info,
    begunAt: kit.now().toISOString(),
    size: 0,
    chunkSize: 0,
    chunks: 0,
    received: 0,
    asked: 0,
  }),

  post: async (publishId: string, publish: Publish, media: readonly string[]) => {
    const person = await kit.people.get(publish.owner);
    const { title = '', description } = publish.info;
    await kit.posts.add({
      id: publish.postId,
      author: publish.owner,
      authorName: `@${person?.handle}`,
      text: String(description ?? title),
      media,
      createdAt: kit.now().toISOString(),
      data: { ids: [publishId], kind: publish.kind, ...(publish.isDraft && { draft: true }), ...publish.info },
    });
  },
});

/** True when the post info was refused and the request has been answered. */
export const refusesInfo = (
  res: Response,
  person: SandboxPerson,
  info: { privacy_level: z.output<typeof privacyLevel>; brand_content_toggle?: boolean | undefined },
) => {
  if (person.handle.includes('unaudited') && info.privacy_level !== 'SELF_ONLY') {
    refuse(
      res,
      403,
      'unaudited_client_can_only_post_to_private_accounts',
      'Unaudited clients can only post to a private account.',
    );
    return true;
  }
  if (!privacyOptions(person).includes(info.privacy_level)) {
    refuse(res, 403, 'privacy_level_option_mismatch', 'privacy_level is not among the options of the creator.');
    return true;
  }
  if (info.privacy_level === 'SELF_ONLY' && info.brand_content_toggle) {
    invalid(res, 'Branded content cannot be private.');
    return true;
  }
  return false;
};
