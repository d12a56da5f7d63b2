import type { Router } from 'express';
import { z } from 'zod';
import { dayMs } from '#contracts/time';
import { type createContainerBook, invalid, parametersOf, refuse } from '#server/networks/families/meta/sandbox';
import type { SandboxKit } from '#server/networks/sandbox';
import { isSelf, refusals, type SignedIn } from './sandbox-access.ts';
import { badFormat, NewContainer, wrongWith } from './sandbox-new-container.ts';
import type { Posts } from './sandbox-posts.ts';

const notReady = {
  code: 9007,
  subcode: 2207027,
  message: 'Media ID is not available',
  words: 'The media is not ready.',
};
const noMedia = { code: 24, subcode: 2207006, message: 'The requested resource does not exist' };
const expired = { code: 24, subcode: 2207008, message: 'The requested resource does not exist: media builder expired' };
const badCarousel = { code: 100, subcode: 2207028, message: 'Carousel validation failed.' };
const longCaption = { code: 36004, subcode: 2207010, message: 'The caption was too long.' };
const dailyEnd = {
  code: 9,
  subcode: 2207042,
  message: 'Application request limit reached',
  words: 'You reached the maximum number of posts that is allowed to be published by Content Publishing API.',
};
const noPlace = { code: 100, subcode: 2207055, message: 'INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID' };
const postsPerDay = 100;
/** A Page that has no place on the map. */
const placeless = '404';

export type Containers = ReturnType<typeof createContainerBook>;

export const mountContainers = (api: Router, kit: SandboxKit, signedIn: SignedIn, containers: Containers) => {
  api.post(
    '/:id/media',
    signedIn('instagram_business_content_publish', async (req, res, grant) => {
      const { person } = grant;
      if (!isSelf(req, res, grant)) return;
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const parsed = NewContainer.safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('Invalid parameter'));
      const fields = parsed.data;
      const text = 'caption' in fields ? (fields.caption ?? '') : '';
      if (text.length > 2_200) return refuse(res, longCaption);
      if ('location_id' in fields && fields.location_id === placeless) return refuse(res, noPlace);
      const cover = 'cover_url' in fields && fields.cover_url !== undefined ? fields.cover_url : undefined;
      if (cover !== undefined && (await kit.fetchMedia(cover))?.mimeType !== 'image/jpeg')
        return refuse(res, badFormat);
      const { refusal, error = null } = await wrongWith(kit, fields);
      if (refusal) return refuse(res, refusal);
      const children = 'children' in fields ? await containers.children(fields.children, person.id) : [];
      if (children === undefined || children.length === 1 || children.length > 10) return refuse(res, badCarousel);
      const id = await containers.add({
        owner: person.id,
        text,
        file: 'image_url' in fields ? fields.image_url : 'video_url' in fields ? fields.video_url : undefined,
        children,
        sent: fields,
        error,
      });
      res.send({ id });
    }),
  );
};

export const mountPublishing = (
  api: Router,
  kit: SandboxKit,
  signedIn: SignedIn,
  { containers, posts }: { containers: Containers; posts: Posts },
) => {
  api.post(
    '/:id/media_publish',
    signedIn('instagram_business_content_publish', async (req, res, grant) => {
      const { person } = grant;
      if (!isSelf(req, res, grant)) return;
      const parsed = z.strictObject({ creation_id: z.string() }).safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('The parameter creation_id is required'));
      const creationId = parsed.data.creation_id;
      const container = await containers.get(creationId, person.id);
      const state = container && containers.stateOf(container);
      if (container === undefined || container.isChild || state === 'PUBLISHED') return refuse(res, noMedia);
      if (state === 'EXPIRED') return refuse(res, expired);
      if (state !== 'FINISHED') return refuse(res, notReady);
      const [oldest] = (await kit.posts.of(person.id, postsPerDay)).slice(postsPerDay - 1);
      const isFull = oldest !== undefined && Date.parse(oldest.createdAt) > kit.now().getTime() - dayMs;
      if (person.handle.includes('fifty') || isFull) return refuse(res, dailyEnd);
      await kit.commit(req, res, {
        text: container.text,
        person,
        refusals,
        make: async () => {
          const { postId, isNew } = await containers.publish(creationId, container);
          if (isNew)
            await posts.add(person, { id: postId, text: container.text, media: container.media, data: container.sent });
          return postId;
        },
        answer: (id) => res.send({ id }),
      });
    }),
  );
};
