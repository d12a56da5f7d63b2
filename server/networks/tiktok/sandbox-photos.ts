import type { Request, Router } from 'express';
import { z } from 'zod';
import type { SandboxKit } from '#server/networks/sandbox';
import { invalid, ok, refusals, refuse, type SignedIn, tooManyDrafts } from './sandbox-access.ts';
import { createPublishing, type Publish, privacyLevel, refusesInfo, toggles } from './sandbox-publish.ts';

const MB = 1_000_000;

const words = { title: z.string().max(90).optional(), description: z.string().max(4000).optional() };
const photoSource = z.strictObject({
  source: z.literal('PULL_FROM_URL'),
  photo_cover_index: z.int().min(0).optional(),
  photo_images: z.array(z.url()).min(1).max(35),
});
const NewPhotos = z.discriminatedUnion('post_mode', [
  z.strictObject({
    media_type: z.literal('PHOTO'),
    post_mode: z.literal('DIRECT_POST'),
    post_info: z.strictObject({
      ...words,
      privacy_level: privacyLevel,
      disable_comment: z.boolean().optional(),
      auto_add_music: z.boolean().optional(),
      ...toggles,
    }),
    source_info: photoSource,
  }),
  z.strictObject({
    media_type: z.literal('PHOTO'),
    post_mode: z.literal('MEDIA_UPLOAD'),
    post_info: z.strictObject(words),
    source_info: photoSource,
  }),
]);

/** Photos are fetched by their addresses, after TikTok has answered. */
export const mountPhotos = (api: Router, kit: SandboxKit, signedIn: SignedIn) => {
  const { begin, keep, post } = createPublishing(kit);

  /** What is wrong with photos, as TikTok's code. */
  const pullProblem = async (urls: readonly string[]): Promise<string | undefined> => {
    for (const url of urls) {
      const file = await kit.fetchMedia(url);
      if (file === undefined) return 'photo_pull_failed';
      if (!/^image\/(jpeg|webp)$/.test(file.mimeType) || file.bytes.length > 20 * MB) return 'file_format_check_failed';
    }
    return undefined;
  };

  api.post(
    '/v2/post/publish/content/init',
    signedIn(scopeOfPhotos, async (req, res, { person }) => {
      const parsed = NewPhotos.safeParse(req.body);
      if (!parsed.success) return invalid(res, z.prettifyError(parsed.error));
      const { post_mode, post_info, source_info } = parsed.data;
      const isDraft = post_mode === 'MEDIA_UPLOAD';
      if (parsed.data.post_mode === 'DIRECT_POST' && refusesInfo(res, person, parsed.data.post_info)) return;
      if (isDraft && person.handle.includes('fivedrafts')) return tooManyDrafts(res);
      if (isDraft && person.handle.includes('oldapp')) {
        return refuse(res, 403, 'app_version_check_failed', "The user's TikTok app does not support this.");
      }
      if (person.handle.includes('unverified')) {
        return refuse(res, 403, 'url_ownership_unverified', 'Please verify the ownership of the URL properties.');
      }
      if ((source_info.photo_cover_index ?? 0) >= source_info.photo_images.length)
        return invalid(res, 'photo_cover_index is out of range');
      await kit.commit(req, res, {
        text: `${post_info.title ?? ''} ${post_info.description ?? ''}`,
        person,
        refusals,
        make: async () => {
          const failReason = await pullProblem(source_info.photo_images);
          const cover = source_info.photo_cover_index ?? 0;
          const info = { ...post_info, photo_cover_index: cover } as Publish['info'];
          const publish = begin(person, { kind: 'photo', info, isDraft });
          const publishId = `${isDraft ? 'p_inbox_url' : 'p_pub_url'}~v2.${publish.postId}`;
          const takenAt = kit.now().toISOString();
          await keep(publishId, { ...publish, takenAt, ...(failReason && { failReason }) });
          if (failReason === undefined) await post(publishId, publish, source_info.photo_images);
          return publishId;
        },
        answer: (publishId) => res.send({ data: { publish_id: publishId }, error: ok }),
      });
    }),
  );
};

const scopeOfPhotos = (req: Request) =>
  (req.body as { post_mode?: unknown } | undefined)?.post_mode === 'MEDIA_UPLOAD' ? 'video.upload' : 'video.publish';
