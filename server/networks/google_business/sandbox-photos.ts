import type { Router } from 'express';
import { z } from 'zod';
import type { Json } from '#server/networks/network';
import type { SandboxKit, SandboxPost } from '#server/networks/sandbox';
import { pageAfter } from '#server/networks/shared/page-after';
import { invalid, manage, notFound, photoFetchFailed, refusals, type SignedIn } from './sandbox-access.ts';
import { parentOf } from './sandbox-locations.ts';
import { issueOf, mediaProblem } from './sandbox-new-post.ts';

const path = '/posts/v4/accounts/:account/locations/:location/media';

const maxPhotos = 100;
const singleCategories = ['COVER', 'PROFILE', 'LOGO'];
const otherCategories =
  'EXTERIOR INTERIOR PRODUCT AT_WORK FOOD_AND_DRINK MENU COMMON_AREA ROOMS TEAMS ADDITIONAL'.split(' ');

/** Unknown fields are refused. */
const NewPhoto = z
  .strictObject({
    mediaFormat: z.literal('PHOTO'),
    locationAssociation: z.strictObject({ category: z.enum([...singleCategories, ...otherCategories]) }),
    sourceUrl: z.url(),
    description: z.string().min(1).optional(),
  })
  .refine(
    ({ locationAssociation, description }) => locationAssociation.category !== 'COVER' || description === undefined,
    { path: ['description'], message: 'A cover photo has no description.' },
  );

const shown = ({ id, data, createdAt }: SandboxPost) => ({ name: id, ...(data as object), createTime: createdAt });

/** The photos of a location, which stand in its profile without a post. */
export const mountPhotos = (router: Router, kit: SandboxKit, signedIn: SignedIn) => {
  const photosOf = async (parent: string) =>
    (await kit.posts.of(parent, 3000)).filter(({ id }) => id.startsWith(`${parent}/media/`));

  router.post(
    path,
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      if (parent === undefined) return notFound(res);
      const parsed = NewPhoto.safeParse(req.body);
      if (!parsed.success) return invalid(res, ...issueOf(parsed.error));
      const { sourceUrl, description = '' } = parsed.data;
      if ((await photosOf(parent.name)).length >= maxPhotos)
        return invalid(res, 'media', `A location takes at most ${maxPhotos} photos.`);
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const problem = await mediaProblem(kit, sourceUrl);
      if (problem !== undefined) return invalid(res, 'source_url', problem, photoFetchFailed);
      await kit.commit(req, res, {
        text: description,
        person,
        refusals,
        make: async () => {
          const photo: SandboxPost = {
            id: `${parent.name}/media/${kit.newId()}`,
            author: parent.name,
            authorName: parent.title,
            text: description,
            media: [sourceUrl],
            createdAt: kit.now().toISOString(),
            data: parsed.data as unknown as Json,
          };
          await kit.posts.add(photo);
          return shown(photo);
        },
        answer: (photo) => res.send(photo),
      });
    }),
  );

  router.get(
    path,
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      if (parent === undefined) return notFound(res);
      const count = Number(req.query.pageSize ?? 100);
      if (!(count >= 1 && count <= 2500)) return invalid(res, 'page_size', 'Between 1 and 2500.');
      const photos = await photosOf(parent.name);
      const { entries, next } = pageAfter(photos, req.query.pageToken, count);
      res.send({
        ...(entries.length > 0 && { mediaItems: entries.map(shown), totalMediaItemCount: photos.length }),
        ...(next && { nextPageToken: next }),
      });
    }),
  );

  router.get(
    `${path}/:id`,
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      const photo = parent && (await kit.posts.get(`${parent.name}/media/${req.params.id}`));
      return photo === undefined ? notFound(res) : res.send(shown(photo));
    }),
  );

  router.delete(
    `${path}/:id`,
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      const photo = parent && (await kit.posts.get(`${parent.name}/media/${req.params.id}`));
      if (photo === undefined) return notFound(res);
      await kit.posts.remove(photo.id);
      res.send({});
    }),
  );
};
