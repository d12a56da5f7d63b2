import type { MediaItem } from '#contracts/media';
import type { Caller } from '#server/base/context';
import type { IdempotentAnswers } from '#server/base/idempotency/answers';
import type { Received } from './incoming.ts';
import type { Record as RecordOf, Uploads } from './uploads.ts';

export interface Uploaded {
  readonly item: MediaItem;
  /** It was uploaded by an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

export type UploadOnce = ReturnType<typeof createUploadOnce>;

/**
 * Uploads with an Idempotency-Key. Only the row is written under the key: the file is received and stored before, so that
 * no transaction stays open during an upload.
 */
export const createUploadOnce = ({ uploads, answers }: { uploads: Uploads; answers: IdempotentAnswers }) => {
  const once = async (
    caller: Caller,
    key: string | undefined,
    request: string,
    upload: (record?: RecordOf) => Promise<MediaItem>,
  ): Promise<Uploaded> => {
    if (key === undefined) return { item: await upload(), replayed: false };
    const storedAnswer = await answers.find(caller, key, request);
    if (storedAnswer !== undefined) return { item: JSON.parse(storedAnswer), replayed: true };
    let replayed = false;
    const item = await upload(async (work) => {
      const answered = await answers.once(caller, key, request, async () => JSON.stringify(await work()));
      replayed = answered.replayed;
      return JSON.parse(answered.answer);
    });
    return { item, replayed };
  };

  return {
    /** Takes ownership of the received file, even if it fails. */
    file: async (
      caller: Caller,
      key: string | undefined,
      received: Received,
      about: { alt: string | undefined; name: string | undefined },
    ): Promise<Uploaded> => {
      let isTakenOver = false;
      try {
        const request = `upload ${received.sha256} ${about.alt ?? ''}`;
        return await once(caller, key, request, (record) => {
          isTakenOver = true;
          return uploads.keep(caller, received, about, record);
        });
      } finally {
        if (!isTakenOver) await uploads.discard(received);
      }
    },

    fromUrl: (caller: Caller, key: string | undefined, source: { url: string; alt?: string | undefined }) =>
      once(caller, key, `fetch ${source.url} ${source.alt ?? ''}`, (record) => uploads.fromUrl(caller, source, record)),
  };
};
