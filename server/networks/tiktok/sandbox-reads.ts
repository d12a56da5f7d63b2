import type { Request, Router } from 'express';
import { z } from 'zod';
import type { SandboxKit, SandboxPost } from '#server/networks/sandbox';
import { fieldsOf, ok, refusals, refuse, type SignedIn } from './sandbox-access.ts';
import { createPublishing } from './sandbox-publish.ts';

/** How long a public post is reviewed before it has an id. */
const moderationMs = 45_000;

/** The state of a post attempt, the list of public videos, and statistics. */
export const mountReads = (api: Router, kit: SandboxKit, signedIn: SignedIn) => {
  const { find, keep } = createPublishing(kit);

  const isListed = ({ createdAt, data }: SandboxPost) =>
    (data as { privacy_level: string }).privacy_level === 'PUBLIC_TO_EVERYONE' &&
    kit.now().getTime() - Date.parse(createdAt) >= moderationMs;

  api.post(
    '/v2/post/publish/status/fetch',
    signedIn(scopeOfStatus, async (req, res, { person }) => {
      const publishId = String((req.body as { publish_id?: unknown }).publish_id);
      const publish = await find(publishId);
      if (publish === undefined) return refuse(res, 400, 'invalid_publish_id', 'The publish_id does not exist.');
      if (publish.owner !== person.id) {
        return refuse(res, 400, 'token_not_authorized_for_specified_publish_id', 'The publish_id is of somebody else.');
      }
      const reads = publish.takenAt === undefined ? 0 : publish.asked + 1;
      await keep(publishId, { ...publish, asked: reads });
      const post = await kit.posts.get(publish.postId);
      const processing = publish.kind === 'video' ? 'PROCESSING_UPLOAD' : 'PROCESSING_DOWNLOAD';
      const done = publish.isDraft ? 'SEND_TO_USER_INBOX' : 'PUBLISH_COMPLETE';
      const status = reads < 2 ? processing : publish.failReason ? 'FAILED' : done;
      const isPublic = status === 'PUBLISH_COMPLETE' && post !== undefined && isListed(post);
      // Built as text, because the ids exceed JavaScript's safe integers.
      const ids = isPublic ? publish.postId : '';
      const reason = status === 'FAILED' ? (publish.failReason ?? '') : '';
      res
        .type('json')
        .send(
          `{"data":{"status":"${status}","fail_reason":"${reason}","publicaly_available_post_id":[${ids}],` +
            `"uploaded_bytes":${publish.received}},"error":${JSON.stringify(ok)}}`,
        );
    }),
  );

  const videoOf = (post: SandboxPost, fields: readonly string[]) => {
    const numbers = kit.numbers(post);
    const { kind, title = '', description } = post.data as { kind: string; title?: string; description?: string };
    const all: Record<string, string | number> = {
      id: post.id,
      create_time: Math.floor(Date.parse(post.createdAt) / 1000),
      title: title.slice(0, 150),
      video_description: (description ?? title).slice(0, 150),
      share_url: kit.link(`/web/${post.authorName}/${kind}/${post.id}`),
      view_count: numbers.views,
      like_count: numbers.likes,
      comment_count: numbers.comments,
      share_count: numbers.shares,
    };
    return Object.fromEntries(fields.map((field) => [field, all[field]]));
  };
  api.post(
    '/v2/video/list',
    signedIn('video.list', async (req, res, { person }) => {
      const parsed = List.safeParse(req.body);
      if (!parsed.success || hasWrongField(req)) return refuse(res, 400, 'invalid_params', 'Fields are invalid.');
      const { max_count, cursor = kit.now().getTime() } = parsed.data;
      const older = (await kit.posts.of(person.id, 1000))
        .filter(isListed)
        .filter(({ createdAt }) => Date.parse(createdAt) < cursor);
      const page = older.slice(0, max_count);
      res.send({
        data: {
          videos: page.map((post) => videoOf(post, fieldsOf(req))),
          cursor: Date.parse(page.at(-1)?.createdAt ?? kit.now().toISOString()),
          has_more: older.length > page.length,
        },
        error: ok,
      });
    }),
  );

  api.post(
    '/v2/video/query',
    signedIn('video.list', async (req, res, { person }) => {
      if (await kit.isFaulty('read', req, res, { person, refusals })) return;
      const parsed = Query.safeParse(req.body);
      if (!parsed.success || hasWrongField(req)) return refuse(res, 400, 'invalid_params', 'Fields are invalid.');
      const posts = await Promise.all(parsed.data.filters.video_ids.map((id) => kit.posts.get(id)));
      const videos = posts
        .filter((one) => one !== undefined)
        .filter((one) => one.author === person.id && isListed(one))
        .map((one) => videoOf(one, fieldsOf(req)));
      res.send({ data: { videos }, error: ok });
    }),
  );
};

const List = z.strictObject({ max_count: z.int().min(1).max(20).default(10), cursor: z.int().optional() });
const Query = z.strictObject({ filters: z.strictObject({ video_ids: z.array(z.string()).min(1).max(20) }) });

const knownFields = /^(id|create_time|title|video_description|share_url|(view|like|comment|share)_count)$/;
const hasWrongField = (req: Request) => fieldsOf(req).some((field) => !knownFields.test(field));

/** The scope that allowed a post also reads its status. */
const scopeOfStatus = (req: Request) =>
  String((req.body as { publish_id?: unknown } | undefined)?.publish_id).includes('_inbox_')
    ? 'video.upload'
    : 'video.publish';
