import { z } from 'zod';
import { textBounds } from './bounds.ts';
import {
  action,
  appRoute,
  byId,
  CanonicalInstant,
  Cursor,
  Deleted,
  Id,
  NextCursor,
  type RawRoute,
  type Route,
  rawRoute,
  tokenRoute,
} from './define.ts';
import { errorSchemas } from './errors.ts';
import { mediaKinds } from './media-kinds.ts';
import { editors, everyone } from './scopes.ts';

export { type MediaKind, mediaKinds } from './media-kinds.ts';

export const MediaItem = z
  .object({
    id: z.string().describe('Media id, prefix `media_`; goes into the media list of a content item'),
    kind: z.enum(mediaKinds).describe('What the content of the file is'),
    mimeType: z.string().describe('Read from the content, not from the file name'),
    bytes: z.int().describe('Size of the file'),
    width: z.int().describe('Pixels; 0 for a document'),
    height: z.int().describe('Pixels; 0 for a document'),
    durationMs: z.int().optional().describe('Length of a video or an animated GIF in milliseconds'),
    videoCodec: z.string().optional().describe('Of a video, where it is known: `h264`, `hevc`, `av1`, `vp9`'),
    audioCodec: z.string().optional().describe('Of a video, where it is known: `aac`, `opus`; `none` without sound'),
    frameRate: z.number().optional().describe('Of a video, where it is known: pictures per second'),
    alt: z.string().optional().describe('Alternative text for people who cannot see it'),
    url: z.string().describe('Address of the file'),
    thumbnailUrl: z.string().describe('Address of a small picture of it'),
    createdAt: CanonicalInstant,
    name: z.string().optional().describe('Name of the uploaded file, in lists of the library'),
  })
  .meta({ id: 'MediaItem', description: 'An image, video or document of the media library' });
export type MediaItem = z.output<typeof MediaItem>;

export const UploadAddress = z
  .object({
    url: z.string().describe('POST one file to it as multipart/form-data, in the field `file`; no token is needed'),
    expiresAt: CanonicalInstant,
  })
  .meta({ id: 'UploadAddress', description: 'Where one local file can be uploaded, once' });
export type UploadAddress = z.output<typeof UploadAddress>;

export const LibraryItem = MediaItem.extend({
  usedIn: z.int().describe('How many posts use it'),
}).meta({ id: 'LibraryItem', description: 'A file as the library shows it' });
export type LibraryItem = z.output<typeof LibraryItem>;

export const AltText = z
  .string()
  .trim()
  .max(textBounds.altCharacters)
  .describe('Alternative text for people who cannot see it; empty for none. Networks have lower limits of their own');

export const MediaForm = z
  .strictObject({
    file: z
      .string()
      .meta({ format: 'binary', description: 'The file itself. Its name and declared type do not matter' }),
    alt: AltText.optional(),
  })
  .meta({ id: 'MediaForm', description: 'A file to add' });

export const MediaFromUrl = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(textBounds.urlCharacters)
      .describe('A public https address; the server fetches the file from there'),
    alt: AltText.optional(),
  })
  .meta({ id: 'MediaFromUrl', description: 'A file to fetch and add' });

export const mediaActions = {
  'media.list': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'Listed',
    summary: 'List the media library',
    description:
      'Images, videos and PDF documents that posts can use, newest first. Their ids go into the media list of a content item, which takes https:// addresses too. To callers who may write, upload.url takes one local file.',
    input: z.strictObject({
      ids: z.array(Id).max(100).default([]).describe('Only these; empty for all'),
      show: z
        .boolean()
        .default(false)
        .describe('Over MCP, with ids: also return small pictures of the first 10 images, to look at'),
      limit: z.int().min(1).max(100).default(50).describe('How many to return'),
      cursor: Cursor,
    }),
    output: z.object({
      media: z.array(MediaItem).describe('Newest first'),
      nextCursor: NextCursor,
      upload: UploadAddress.optional().describe('For tokens that may write, of somebody who may edit'),
    }),
    errors: [],
    examples: [
      {
        title: 'One image',
        input: {},
        output: {
          media: [
            {
              id: 'media_01JCQ3A1B2C3D4E5F6G7H8J9K0',
              kind: 'Image',
              mimeType: 'image/jpeg',
              bytes: 184_220,
              width: 1200,
              height: 800,
              alt: 'A post horn on a wooden table',
              url: 'http://localhost:3000/media/media_01JCQ3A1B2C3D4E5F6G7H8J9K0',
              thumbnailUrl: 'http://localhost:3000/media/media_01JCQ3A1B2C3D4E5F6G7H8J9K0?size=thumbnail',
              createdAt: '2026-11-02T08:20:00.000000Z',
              name: 'horn.jpg',
            },
          ],
          upload: {
            url: 'http://localhost:3000/upload/v1.k1.3q2-7wAA',
            expiresAt: '2026-11-15T09:45:00.000000Z',
          },
        },
      },
    ],
  }),
};

const aboutFiles =
  'Its content decides what it is: a JPEG, PNG, GIF, WebP, AVIF or HEIC image, an MP4, MOV or WebM video, or a PDF document. Metadata such as the place where a photo was taken is removed. Anybody who knows the `url` of the answer can read the file.';

export const mediaRoutes = {
  searchMedia: appRoute({
    method: 'GET',
    path: '/api/app/media',
    tag: 'media',
    summary: 'Browse the library',
    description: 'Files with what uses them, newest first, 60 at a time.',
    roles: everyone,
    query: z.strictObject({
      kind: z.enum(mediaKinds).optional().describe('Only these'),
      alt: z.enum(['Missing']).optional().describe('Only those without alternative text'),
      query: z.string().max(200).default('').describe('Only those with this in their name or alternative text'),
      ids: z.string().max(20_000).default('').describe('Only these; ids separated by commas'),
      cursor: Cursor,
    }),
    answer: z.object({ media: z.array(LibraryItem).describe('The newest first'), nextCursor: NextCursor }),
  }),

  uploadMedia: tokenRoute({
    method: 'POST',
    path: '/api/media',
    tag: 'media',
    summary: 'Add a file to the media library',
    description: `A file as multipart/form-data. ${aboutFiles} Large files can be sent by the tus protocol to \`/api/media/uploads\`, and continue after a broken connection.`,
    roles: editors,
    body: MediaFromUrl,
    form: MediaForm,
    documented: 'form',
    idempotent: 'InHandler',
    answer: MediaItem,
  }),

  uploadMediaFromUrl: tokenRoute({
    method: 'POST',
    path: '/api/media/from-url',
    tag: 'media',
    summary: 'Add a file from an address to the media library',
    description: `The server fetches the file. ${aboutFiles}`,
    roles: editors,
    body: MediaFromUrl,
    idempotent: 'InHandler',
    answer: MediaItem,
  }),

  changeMedia: appRoute({
    method: 'PATCH',
    path: '/api/media/:id',
    tag: 'media',
    summary: 'Change the alternative text',
    description:
      'Posts that are not out yet, scheduled ones too, go out with the new text. Requests of agents about such posts become outdated. Not for tokens: they only add files.',
    roles: editors,
    approval: {
      subject: 'media',
      sentence: 'Change the alternative text of a file that a scheduled post uses',
      verb: 'Approve the change',
      areDraftsFree: true,
    },
    params: byId('Media id'),
    body: z.strictObject({ alt: AltText }),
    answer: MediaItem,
    more: ['ApprovalRequired', 'NotFound'],
  }),

  deleteMedia: appRoute({
    method: 'DELETE',
    path: '/api/media/:id',
    tag: 'media',
    summary: 'Delete a file',
    description: 'Conflict while a post uses it.',
    roles: editors,
    params: byId('Media id'),
    answer: Deleted,
    more: ['NotFound', 'Conflict'],
  }),
} as const satisfies Record<string, Route>;
export type MediaRoutes = typeof mediaRoutes;

export const mediaPaths = {
  mediaBytes: rawRoute({
    methods: ['GET', 'HEAD'],
    path: '/media/:id',
    access: 'Open',
    handler: 'Own',
    description: 'The file itself, for networks and pages.',
  }),
  uploadToAddress: rawRoute({
    methods: ['POST'],
    path: '/upload/:ticket',
    access: 'Own',
    handler: 'Own',
    description:
      'One file as multipart/form-data, from whoever was told the address: no token. `upload.url` of media.list is such an address.',
    operation: {
      method: 'POST',
      access: 'Open',
      tag: 'media',
      summary: 'Upload a file to an address',
      params: z.strictObject({ ticket: z.string().describe('End of the address, as media.list gave it') }),
      body: { contentType: 'multipart/form-data', schema: MediaForm },
      responses: { 200: { description: 'Done', body: MediaItem } },
      errors: ['BadInput', 'NotFound', 'Conflict', 'TooManyRequests', 'Internal'],
    },
  }),
  describeResumableUploads: rawRoute({
    methods: ['OPTIONS'],
    path: '/api/media/uploads',
    access: 'Open',
    handler: 'Own',
    description: 'What this server takes by the tus protocol: version, extensions and the largest file.',
  }),
  createResumableUpload: rawRoute({
    methods: ['POST'],
    path: '/api/media/uploads',
    access: 'SessionOrToken',
    roles: editors,
    handler: 'Own',
    description:
      'Begins an upload by the tus protocol 1.0 (creation, termination, expiration). `Location` of the answer takes the bytes with PATCH, says with HEAD where to continue, and returns the media item with GET: 202 while it is processed.',
    operation: {
      method: 'POST',
      access: 'SessionOrToken',
      tag: 'media',
      summary: 'Begin an upload that can be continued',
      idempotent: true,
      headers: {
        'Tus-Resumable': '`1.0.0`',
        'Upload-Length': 'Size of the file in bytes',
        'Upload-Metadata': '`filename` and `alt`, each with its value in base64: `filename ZmlsbS5tcDQ=`',
      },
      responses: {
        201: { description: 'Begun', headers: ['Location', 'Tus-Resumable', 'Upload-Offset', 'Upload-Expires'] },
        412: {
          description: '`BadInput`: Tus-Resumable is another version; `Tus-Version` has the right one',
          body: errorSchemas.BadInput,
        },
      },
      errors: ['BadInput', 'Unauthorized', 'Forbidden', 'Conflict', 'TooManyRequests', 'Internal'],
    },
  }),
  resumableUpload: rawRoute({
    methods: ['GET', 'HEAD', 'PATCH', 'DELETE'],
    path: '/api/media/uploads/:id',
    access: 'SessionOrToken',
    roles: editors,
    handler: 'Own',
    description: 'Continues an upload by the tus protocol; GET answers the item that it became.',
  }),
} as const satisfies Record<string, RawRoute>;
