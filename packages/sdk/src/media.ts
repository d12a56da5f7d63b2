import { ApiPromise } from './api-promise.ts';
import type { MediaItem } from './generated/types.ts';
import type { CallOptions } from './http.ts';
import { Namespace } from './namespace.ts';
import type { Progress } from './progress.ts';

export interface UploadOptions extends CallOptions {
  /** Alternative text for people who cannot see it */
  alt?: string | undefined;
  /** Default: the name of a File, otherwise `upload` */
  filename?: string | undefined;
  /** MIME type of bytes, such as `image/png`; a Blob has its own */
  type?: string | undefined;
  /** Called during the upload. After a broken connection it goes back to what has arrived */
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface UploadFromUrlOptions extends CallOptions {
  /** Alternative text for people who cannot see it */
  alt?: string | undefined;
}

/** Larger files are sent by the tus protocol, which continues after a broken connection. */
const resumableBytes = 16 * 1024 * 1024;

/** Uploads are not actions, because agents cannot send files. */
export class MediaUploads extends Namespace {
  /**
   * Adds a file to the media library. A file on disk is streamed when you give `await fs.openAsBlob(path)`. An upload has
   * no time limit as a whole: `timeoutMs` is the longest time without progress. Files of more than 16 MB continue after a
   * broken connection, and with the same `idempotencyKey` also in another run of your program.
   *
   * @example
   * const image = await posthorn.media.upload(await openAsBlob('horn.jpg'), { alt: 'A post horn' });
   */
  upload(file: Blob | Uint8Array | ArrayBuffer, options: UploadOptions = {}): ApiPromise<MediaItem> {
    const { alt, filename, type, onProgress, ...rest } = options;
    const blob = asBlob(file, type);
    const name = filename ?? nameOf(file);
    if (blob.size > resumableBytes) {
      // Lazy, for programs that never send a large file.
      const upload = import('./resumable.ts').then(({ uploadResumably }) =>
        uploadResumably(this.http, { blob, filename: name, alt, onProgress }, rest),
      );
      return new ApiPromise(upload);
    }
    const form = new FormData();
    if (alt !== undefined) form.set('alt', alt);
    form.set('file', blob, name);
    return this.http.call({ method: 'POST', path: '/api/media', body: form, retry: 'WithKey', onProgress }, rest);
  }

  /**
   * Lets the server fetch a file from a public address and adds it to the media library.
   *
   * @example
   * const image = await posthorn.media.uploadFromUrl('https://example.com/horn.jpg', { alt: 'A post horn' });
   */
  uploadFromUrl(url: string | URL, options: UploadFromUrlOptions = {}): ApiPromise<MediaItem> {
    const { alt, ...rest } = options;
    const body = JSON.stringify({ url, alt });
    return this.http.call({ method: 'POST', path: '/api/media/from-url', body, retry: 'WithKey' }, rest);
  }
}

const asBlob = (file: Blob | Uint8Array | ArrayBuffer, type: string | undefined): Blob => {
  if (file instanceof Blob) return type === undefined ? file : new Blob([file], { type });
  if (file instanceof ArrayBuffer || ArrayBuffer.isView(file))
    return new Blob([file as BlobPart], type === undefined ? {} : { type });
  throw new TypeError(
    'upload takes a Blob, a File, a Uint8Array or an ArrayBuffer. For a path pass `await fs.openAsBlob(path)`, for a stream `await new Response(stream).blob()`',
  );
};

const nameOf = (file: Blob | Uint8Array | ArrayBuffer): string =>
  'name' in file && typeof file.name === 'string' && file.name !== '' ? file.name : 'upload';
