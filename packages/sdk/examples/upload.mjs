// Uploads a picture from disk without reading it into memory, and makes a draft with it: node upload.mjs picture.jpg
import { openAsBlob } from 'node:fs';
import { Posthorn } from 'posthorn-sdk';

const posthorn = new Posthorn();
const path = process.argv[2] ?? 'picture.jpg';
const image = await posthorn.media.upload(await openAsBlob(path), {
  filename: path,
  alt: 'A post horn on a table',
  onProgress: ({ sent, total }) => process.stderr.write(`\r${Math.round((100 * sent) / total)} %`),
});
const versions = [{ content: [{ body: 'With a picture', media: [image.id] }] }];
const post = await posthorn.posts.create({ versions });
console.log(post.id, post.versions[0].content[0].media);
