import type { Router } from 'express';
import { z } from 'zod';
import { type createContainerBook, invalid, parametersOf, refuse } from '#server/networks/families/meta/sandbox';
import type { SandboxKit } from '#server/networks/sandbox';
import { isSelf, noMedia, refusals, type SignedIn, userId } from './sandbox-access.ts';
import { errorOf, NewContainer, textOf, wrongWith } from './sandbox-new-container.ts';

export type Containers = ReturnType<typeof createContainerBook>;

export const mountContainers = (api: Router, kit: SandboxKit, signedIn: SignedIn, containers: Containers) => {
  api.post(
    '/:id/threads',
    signedIn('threads_content_publish', async (req, res, grant) => {
      const { person } = grant;
      if (!isSelf(req, res, grant)) return;
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const parsed = NewContainer.safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('Invalid parameter'));
      const fields = parsed.data;
      const refusal = await wrongWith(kit, grant, fields);
      if (refusal) return refuse(res, refusal);
      const isCarousel = fields.media_type === 'CAROUSEL';
      const children = isCarousel ? await containers.children(fields.children, person.id) : [];
      if (children === undefined) return refuse(res, noMedia);
      if (isCarousel && (children.length < 2 || children.length > 20)) {
        return refuse(res, invalid('children must have 2 to 20 items'));
      }
      const id = await containers.add({
        owner: person.id,
        text: textOf(fields),
        file: 'image_url' in fields ? fields.image_url : 'video_url' in fields ? fields.video_url : undefined,
        children,
        sent: fields,
        error: await errorOf(kit, fields),
      });
      res.send({ id });
    }),
  );

  api.post(
    '/:id/threads_publish',
    signedIn('threads_content_publish', async (req, res, grant) => {
      const { person } = grant;
      if (!isSelf(req, res, grant)) return;
      const parsed = z.strictObject({ creation_id: z.string() }).safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('The parameter creation_id is required'));
      const creationId = parsed.data.creation_id;
      const container = await containers.get(creationId, person.id);
      if (container === undefined || container.isChild || containers.stateOf(container) !== 'FINISHED') {
        return refuse(res, noMedia);
      }
      const { reply_to_id: replyTo } = container.sent;
      await kit.commit(req, res, {
        text: container.text,
        person,
        refusals,
        make: async () => {
          const { postId, isNew } = await containers.publish(creationId, container);
          if (isNew) {
            await kit.posts.add({
              id: postId,
              author: userId(person),
              authorName: `@${person.handle}`,
              text: container.text,
              media: container.media,
              ...(typeof replyTo === 'string' && { replyTo }),
              createdAt: kit.now().toISOString(),
              data: container.sent,
            });
          }
          return postId;
        },
        answer: (id) => res.send({ id }),
      });
    }),
  );
};
