import { z } from 'zod';
import type { PublishMedia, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { type Access, ask, upload } from './api.ts';

const BegunImage = z.object({ value: z.object({ uploadUrl: z.string(), image: z.string() }) });
const BegunVideo = z.object({
  value: z.object({
    video: z.string(),
    uploadToken: z.string().default(''),
    uploadInstructions: z
      .array(z.object({ uploadUrl: z.string(), firstByte: z.number(), lastByte: z.number() }))
      .min(1),
  }),
});

type Upload = Pick<PublishMedia, 'kind' | 'bytes' | 'read'>;

/** Returns the URN. */
export const uploadMedia = (site: Site, access: Access, owner: string, media: Upload): Promise<string> =>
  ({ Image: uploadImage, Video: uploadVideo, Document: uploadDocument })[media.kind](site, access, owner, media);

const uploadImage = async (site: Site, access: Access, owner: string, media: Upload) => {
  const begun = await ask(site, access, {
    path: '/rest/images?action=initializeUpload',
    json: { initializeUploadRequest: { owner } },
  });
  const { uploadUrl, image } = shaped(BegunImage, begun).value;
  await upload(site, access, uploadUrl, { length: media.bytes, stream: await media.read() });
  return image;
};

const BegunDocument = z.object({ value: z.object({ uploadUrl: z.string(), document: z.string() }) });

const uploadDocument = async (site: Site, access: Access, owner: string, media: Upload) => {
  const begun = await ask(site, access, {
    path: '/rest/documents?action=initializeUpload',
    json: { initializeUploadRequest: { owner } },
  });
  const { uploadUrl, document } = shaped(BegunDocument, begun).value;
  await upload(site, access, uploadUrl, { length: media.bytes, stream: await media.read() });
  return document;
};

const uploadVideo = async (site: Site, access: Access, owner: string, media: Upload) => {
  const begun = await ask(site, access, {
    path: '/rest/videos?action=initializeUpload',
    json: {
      initializeUploadRequest: { owner, fileSizeBytes: media.bytes, uploadCaptions: false, uploadThumbnail: false },
    },
  });
  const { video, uploadToken, uploadInstructions } = shaped(BegunVideo, begun).value;
  if (!areWhole(uploadInstructions, media.bytes)) {
    throw new NetworkTrouble('temporary', 'LinkedIn asks for parts that are not those of the video.');
  }
  const uploadedPartIds: string[] = [];
  for (const { uploadUrl, firstByte: first, lastByte: last } of uploadInstructions) {
    const stream = await media.read({ first, last });
    const { headers } = await upload(site, access, uploadUrl, { length: last - first + 1, stream });
    if (!headers.etag) {
      throw new NetworkTrouble('temporary', 'LinkedIn did not confirm a part of the video. It is uploaded again.');
    }
    // Named like an ETag, but LinkedIn writes it without quotes.
    uploadedPartIds.push(headers.etag.replace(/^"|"$/g, ''));
  }
  await ask(site, access, {
    path: '/rest/videos?action=finalizeUpload',
    json: { finalizeUploadRequest: { video, uploadToken, uploadedPartIds } },
  });
  return video;
};

/** Whether the parts follow one another without gaps or overlaps, from the first byte to the last. */
const areWhole = (parts: readonly { firstByte: number; lastByte: number }[], bytes: number) => {
  let next = 0;
  for (const { firstByte, lastByte } of parts) {
    if (firstByte !== next || lastByte < firstByte) return false;
    next = lastByte + 1;
  }
  return next === bytes;
};

export const isVideoUrn = (urn: string): boolean => urn.startsWith('urn:li:video:');

const State = z.object({ status: z.string(), processingFailureReason: z.string().optional() });

/** Those of the URNs that LinkedIn is still processing. */
export const stillProcessing = async (site: Site, access: Access, urns: readonly string[]): Promise<string[]> => {
  const processing: string[] = [];
  for (const urn of urns) {
    const [, , kind] = urn.split(':');
    const path = `/rest/${kind}s/${encodeURIComponent(urn)}`;
    const { status, processingFailureReason } = shaped(State, await ask(site, access, { path }));
    if (status === 'PROCESSING_FAILED') {
      throw new NetworkTrouble(
        'media',
        `LinkedIn could not use the file: ${processingFailureReason ?? 'no reason given'}`,
        {
          networkCode: status,
        },
      );
    }
    if (status !== 'AVAILABLE') processing.push(urn);
  }
  return processing;
};
