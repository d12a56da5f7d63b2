import { randomUUID } from 'node:crypto';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { SandboxKit, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { recordKeyOf } from './record-key.ts';
import { type Access, badRequest, refuse } from './sandbox-access.ts';
import type { Upload } from './sandbox-blobs.ts';
import { cidOf, didOf } from './sandbox-ids.ts';
import {
  areFacetsInside,
  attachedOf,
  blobsOf,
  type PostRecord,
  quotedOf,
  smallBlobsOf,
  Writes,
} from './sandbox-records.ts';

const maxImageBytes = 2_000_000;

const dataOf = ({ data }: SandboxPost) =>
  data as { cid: string; record: Record<string, unknown>; gates: { $type: string }[] };
const cidIn = (post: SandboxPost) => dataOf(post).cid;

/** Undefined when the post can be stored. */
const problemOf = async (kit: SandboxKit, record: PostRecord, person: SandboxPerson) => {
  if (!areFacetsInside(record)) return { error: 'InvalidRequest', message: 'A facet is not inside the text' };
  for (const { ref, mimeType, size } of blobsOf(record)) {
    const upload = await kit.records.get<Upload>('blob', `${person.id} ${ref.$link}`);
    const isVideo = attachedOf(record)?.$type === 'app.bsky.embed.video';
    if (!upload) return { error: 'BlobNotFound', message: `Could not find blob: ${ref.$link}` };
    if (upload.mimeType !== mimeType || upload.size !== size || !mimeType.startsWith(isVideo ? 'video/mp4' : 'image/'))
      return {
        error: 'InvalidMimeType',
        message: `Referenced Mimetype does not match stored blob. Got: ${mimeType}`,
      };
    if (!isVideo && size > maxImageBytes)
      return { error: 'InvalidRequest', message: `blob too big (maximum ${maxImageBytes}, got ${size})` };
  }
  for (const { blob, type, maxBytes } of smallBlobsOf(record)) {
    const upload = await kit.records.get<Upload>('blob', `${person.id} ${blob.ref.$link}`);
    if (!upload) return { error: 'BlobNotFound', message: `Could not find blob: ${blob.ref.$link}` };
    if (upload.size !== blob.size || upload.mimeType !== blob.mimeType || !blob.mimeType.startsWith(type))
      return { error: 'InvalidMimeType', message: `Wrong type of file: ${blob.mimeType}` };
    if (blob.size > maxBytes)
      return { error: 'InvalidRequest', message: `blob too big (maximum ${maxBytes}, got ${blob.size})` };
  }
  const quoted = quotedOf(record);
  for (const { uri, cid } of [...Object.values(record.reply ?? {}), ...(quoted ? [quoted] : [])]) {
    const post = await kit.posts.get(uri);
    if (post && cidIn(post) !== cid) return { error: 'InvalidRequest', message: 'The cid of a post is not right' };
  }
  return undefined;
};

const NewRecord = z.object({
  repo: z.string(),
  collection: z.literal('app.bsky.feed.post', { error: 'the sandbox takes a gate together with its post' }),
  rkey: z.string().optional(),
  record: z.record(z.string(), z.unknown()),
});

const DeletedRecord = z.object({
  repo: z.string(),
  collection: z.literal('app.bsky.feed.post'),
  rkey: z.string(),
  swapRecord: z.string().optional(),
  swapCommit: z.string().optional(),
});

type Result = { readonly uri: string; readonly cid: string; readonly validationStatus: 'valid' };
type Answer = (
  res: Response,
  commit: { readonly cid: string; readonly rev: string },
  results: readonly Result[],
) => void;

export const mountWrites = (xrpc: Router, kit: SandboxKit, { refusals, signedIn }: Access) => {
  xrpc.post(
    '/com.atproto.repo.applyWrites',
    signedIn((req, res, { person }) =>
      write(req, res, person, req.body, (res, commit, results) =>
        res.send({
          commit,
          results: results.map((result) => ({ $type: 'com.atproto.repo.applyWrites#createResult', ...result })),
        }),
      ),
    ),
  );

  xrpc.post(
    '/com.atproto.repo.createRecord',
    signedIn(async (req, res, { person }) => {
      const parsed = NewRecord.safeParse(req.body);
      if (!parsed.success) return refuseInput(res, parsed.error);
      const { repo, collection, record, rkey = recordKeyOf({ key: randomUUID(), since: kit.now() }) } = parsed.data;
      const create = { $type: 'com.atproto.repo.applyWrites#create', collection, rkey, value: record };
      const did = repo === person.handle ? didOf(person) : repo;
      await write(req, res, person, { repo: did, writes: [create] }, (res, commit, [result]) =>
        res.send({ ...result, commit }),
      );
    }),
  );

  xrpc.post(
    '/com.atproto.repo.deleteRecord',
    signedIn(async (req, res, { person }) => {
      const parsed = DeletedRecord.safeParse(req.body);
      if (!parsed.success) return refuseInput(res, parsed.error);
      const { repo, collection, rkey } = parsed.data;
      if (![didOf(person), person.handle].includes(repo)) {
        return refuse(res, 401, 'AuthenticationRequired', 'Authentication Required');
      }
      const uri = `at://${didOf(person)}/${collection}/${rkey}`;
      const post = await kit.posts.get(uri);
      // Deleting a missing record is not an error, but makes no commit.
      if (post === undefined) return res.send({});
      await kit.posts.remove(uri);
      res.send({ commit: { cid: cidIn(post), rev: recordKeyOf({ key: randomUUID(), since: kit.now() }) } });
    }),
  );

  const refuseInput = (res: Response, { issues: [issue] }: z.ZodError) =>
    badRequest(res, `Invalid record: ${issue?.message} at $.${issue?.path.join('.')}`);

  const write = async (req: Request, res: Response, person: SandboxPerson, input: unknown, answer: Answer) => {
    const parsed = Writes.safeParse(input);
    if (!parsed.success) return refuseInput(res, parsed.error);
    const { repo, writes } = parsed.data;
    if (repo !== didOf(person)) return refuse(res, 401, 'AuthenticationRequired', 'Authentication Required');
    const [{ rkey, value: record }, ...gates] = writes;
    const uri = `at://${repo}/app.bsky.feed.post/${rkey}`;
    if (gates.some((gate) => gate.rkey !== rkey || gate.value.post !== uri))
      return badRequest(res, 'A gate has the key of its post');
    const problem = await problemOf(kit, record, person);
    if (problem) return refuse(res, 400, problem.error, problem.message);
    if (await kit.posts.get(uri)) return refuse(res, 500, 'InternalServerError', 'Internal Server Error');
    const cid = cidOf(0x71, Buffer.from(JSON.stringify(record)));
    await kit.commit(req, res, {
      text: record.text,
      person,
      refusals,
      make: () =>
        kit.posts.add({
          id: uri,
          author: person.id,
          authorName: `@${person.handle}`,
          text: record.text,
          media: blobsOf(record).map(({ ref }) => ref.$link),
          ...(record.reply && { replyTo: record.reply.parent.uri }),
          createdAt: kit.now().toISOString(),
          data: JSON.parse(JSON.stringify({ cid, record, gates: gates.map(({ value }) => value) })),
        }),
      answer: () =>
        answer(
          res,
          { cid: cidOf(0x71, Buffer.from(uri)), rev: rkey },
          writes.map(({ collection, value }) => ({
            uri: `at://${repo}/${collection}/${rkey}`,
            cid: value === record ? cid : cidOf(0x71, Buffer.from(JSON.stringify(value))),
            validationStatus: 'valid',
          })),
        ),
    });
  };
};

const viewOf = async (kit: SandboxKit, post: SandboxPost, { id }: SandboxPerson) => {
  const author = await kit.people.get(post.author);
  const isClosed = dataOf(post).gates.some(({ $type }) => $type === 'app.bsky.feed.postgate');
  const numbers = kit.numbers(post);
  return {
    uri: post.id,
    cid: cidIn(post),
    ...(author && { author: { did: didOf(author), handle: author.handle, displayName: author.name } }),
    record: dataOf(post).record,
    // An author may always quote a post of their own.
    viewer: { embeddingDisabled: isClosed && post.author !== id },
    likeCount: numbers.likes,
    replyCount: numbers.comments,
    repostCount: numbers.shares,
    quoteCount: numbers.quotes,
    bookmarkCount: numbers.saves,
    indexedAt: post.createdAt,
  };
};

export const mountReads = (xrpc: Router, kit: SandboxKit, { refusals, signedIn }: Access) => {
  xrpc.get('/com.atproto.repo.getRecord', async (req, res) => {
    const { repo, collection, rkey } = req.query;
    const uri = `at://${repo}/${collection}/${rkey}`;
    const post = await kit.posts.get(uri);
    if (!post) return refuse(res, 400, 'RecordNotFound', `Could not locate record: ${uri}`);
    res.send({ uri, cid: cidIn(post), value: dataOf(post).record });
  });

  xrpc.get(
    '/app.bsky.feed.getPosts',
    signedIn(async (req, res, { person }) => {
      if (await kit.isFaulty('read', req, res, { person, refusals })) return;
      const uris = [req.query.uris ?? []].flat().map(String);
      if (uris.length === 0 || uris.length > 25) return badRequest(res, 'uris must have 1 to 25 elements');
      const posts = await Promise.all(uris.map((uri) => kit.posts.get(uri)));
      const views = posts.filter((post) => post !== undefined).map((post) => viewOf(kit, post, person));
      res.send({ posts: await Promise.all(views) });
    }),
  );
};
