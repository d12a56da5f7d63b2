import type { ApiPromise } from './api-promise.ts';
import type { CallOptions } from './http.ts';
import { Namespace } from './namespace.ts';
import type { MediaItem } from './types.ts';

export interface UploadOptions extends CallOptions {
  /** Alternative text for people who cannot see it */
  alt?: string | undefined;
  /** Default: the name of a File, otherwise `upload` */
  filename?: string | undefined;
  /** MIME type of bytes, such as `image/png`; a Blob has its own */
  type?: string | undefined;
}

export interface UploadFromUrlOptions extends CallOptions {
  /** Alternative text for people who cannot see it */
  alt?: string | undefined;
}

/** Uploads are no actions: an agent cannot send files. A repeated one would stand in the library twice, hence IfRefused. */
export class MediaUploads extends Namespace {
  /** Adds a file to the media library. */
  upload(file: Blob | Uint8Array | ArrayBuffer, options: UploadOptions = {}): ApiPromise<MediaItem> {
    const { alt, filename, type, ...rest } = options;
    const form = new FormData();
    if (alt !== undefined) form.set('alt', alt);
    form.set('file', asBlob(file, type), filename ?? nameOf(file));
    return this.http.call({ method: 'POST', path: '/api/media', body: form, retry: 'IfRefused' }, rest);
  }

  /** Lets the server fetch a file from a public address and adds it to the media library. */
  uploadFromUrl(url: string | URL, options: UploadFromUrlOptions = {}): ApiPromise<MediaItem> {
    const { alt, ...rest } = options;
    const body = JSON.stringify({ url, alt });
    return this.http.call({ method: 'POST', path: '/api/media', body, retry: 'IfRefused' }, rest);
  }
}

const asBlob = (file: Blob | Uint8Array | ArrayBuffer, type: string | undefined): Blob => {
  if (file instanceof Blob) return type === undefined ? file : new Blob([file], { type });
  return new Blob([file as BlobPart], type === undefined ? {} : { type });
};

const nameOf = (file: Blob | Uint8Array | ArrayBuffer): string =>
  'name' in file && typeof file.name === 'string' && file.name !== '' ? file.name : 'upload';
