import { randomUUID } from 'node:crypto';
import type { Request, Response, Router } from 'express';
import type { z } from 'zod';
import type { SandboxKit, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { recordKeyOf } from './record-key.ts';
import { type Access, badRequest, refuse } from './sandbox-access.ts';
import type { Kept } from './sandbox-blobs.ts';
import { cidOf, didOf } from './sandbox-ids.ts';
import {
  areFacetsInside,
  attachedOf,
  blobsOf,
  NewRecord,
  type PostRecord,
  quotedOf,
  smallBlobsOf,
  Writes,
} from './sandbox-records.ts';

const maxImageBytes = 2_000_000;

const dataOf = ({ data }: SandboxPost) =>
  data as { cid: string; record: Record<string, unknown>; gates: { $type: string }[] };
const cidIn = (post: SandboxPost) => dataOf(post).cid;

/** Undefined when the post can be kept. */
const problemOf = async (kit: SandboxKit, record: PostRecord, person: SandboxPerson) => {
  if (!areFacetsInside(record)) return { error: 'InvalidRequest', message: 'A facet is not inside the text' };
  for (const { ref, mimeType, size } of blobsOf(record)) {
    const kept = await kit.records.get<Kept>('blob', `${person.id} ${ref.$link}`);
    const isVideo = attachedOf(record)?.$type === 'app.bsky.embed.video';
    if (!kept) return { error: 'BlobNotFound', message: `Could not find blob: ${ref.$link}` };
    if (kept.mimeType !== mimeType || kept.size !== size || !mimeType.startsWith(isVideo ? 'video/mp4' : 'image/'))
      return {
        error: 'InvalidMimeType',
        message: `Referenced Mimetype does not match stored blob. Got: ${mimeType}`,
      };
    if (!isVideo && size > maxImageBytes)
      return { error: 'InvalidRequest', message: `blob too big (maximum ${maxImageBytes}, got ${size})` };
  }
  for (const { blob, type, maxBytes } of smallBlobsOf(record)) {
    const kept = await kit.records.get<Kept>('blob', `${person.id} ${blob.ref.$link}`);
    if (!kept) return { error: 'BlobNotFound', message: `Could not find blob: ${blob.ref.$link}` };
    if (kept.size !== blob.size || kept.mimeType !== blob.mimeType || !blob.mimeType.startsWith(type))
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

export const mountWrites = (xrpc: Router, kit: SandboxKit, { refusals, signedIn }: Access) => {
  /** Makes a post public, with the gates that were written beside it. */
  const publish = async (
    req: Request,
    res: Response,
    person: SandboxPerson,
    { uri, record, gates }: { uri: string; record: PostRecord; gates: readonly unknown[] },
    answer: (cid: string) => void,
  ) => {
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
          data: JSON.parse(JSON.stringify({ cid, record, gates })),
        }),
      answer: () => answer(cid),
    });
  };

  xrpc.post(
    '/com.atproto.repo.applyWrites',
    signedIn(async (req, res, { person }) => {
      const parsed = Writes.safeParse(req.body);
      if (!parsed.success) return badRecord(res, parsed.error);
      const { repo, writes } = parsed.data;
      if (repo !== didOf(person)) return refuse(res, 401, 'AuthenticationRequired', 'Authentication Required');
      const [{ rkey, value: record }, ...others] = writes;
      const uri = uriOf(person, rkey);
      if (others.some((gate) => gate.rkey !== rkey || gate.value.post !== uri))
        return badRequest(res, 'A gate has the key of its post');
      const gates = others.map(({ value }) => value);
      await publish(req, res, person, { uri, record, gates }, (cid) => {
        res.send({
          commit: { cid: cidOf(0x71, Buffer.from(uri)), rev: rkey },
          results: writes.map(({ collection, value }) => ({
            $type: 'com.atproto.repo.applyWrites#createResult',
            uri: `at://${repo}/${collection}/${rkey}`,
            cid: value === record ? cid : cidOf(0x71, Buffer.from(JSON.stringify(value))),
            validationStatus: 'valid',
          })),
        });
      });
    }),
  );

  xrpc.post(
    '/com.atproto.repo.createRecord',
    signedIn(async (req, res, { person }) => {
      const parsed = NewRecord.safeParse(req.body);
      if (!parsed.success) return badRecord(res, parsed.error);
      const { repo, record, rkey = recordKeyOf({ key: randomUUID(), since: kit.now() }) } = parsed.data;
      if (repo !== didOf(person) && repo !== person.handle)
        return refuse(res, 401, 'AuthenticationRequired', 'Authentication Required');
      const uri = uriOf(person, rkey);
      await publish(req, res, person, { uri, record, gates: [] }, (cid) => {
        const commit = { cid: cidOf(0x71, Buffer.from(uri)), rev: rkey };
        res.send({ uri, cid, commit, validationStatus: 'valid' });
      });
    }),
  );
};

const uriOf = (person: SandboxPerson, rkey: string) => `at://${didOf(person)}/app.bsky.feed.post/${rkey}`;

const badRecord = (res: Response, { issues: [issue] }: z.ZodError) =>
  badRequest(res, `Invalid record: ${issue?.message} at $.${issue?.path.join('.')}`);

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
      const found = await Promise.all(uris.map((uri) => kit.posts.get(uri)));
      const posts = found.filter((post) => post !== undefined).map((post) => viewOf(kit, post, person));
      res.send({ posts: await Promise.all(posts) });
    }),
  );
};
