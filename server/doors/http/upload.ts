import type { Request } from 'express';
import { MediaForm } from '#contracts/media';
import { parseInput } from '#server/agents/admission';
import { badInput } from '#server/base/errors';
import { keyOf, markReplayed } from '#server/base/idempotency/header';
import type { UploadOnce } from '#server/media/upload-once';
import type { Uploads } from '#server/media/uploads';
import type { FormRoute } from './app-routes.ts';
import { checkText } from './body.ts';
import { isForm, readForm, unknownField } from './form.ts';
import { reply } from './reply.ts';

const Fields = MediaForm.omit({ file: true });

/** An upload as a multipart form. JSON goes on to ts-rest. */
export const uploadRoute =
  ({ uploads, uploadOnce }: { uploads: Uploads; uploadOnce: UploadOnce }): FormRoute =>
  (admit) =>
  async (req, res, next) => {
    if (!isForm(req)) return next();
    const { sender: caller, body } = await admit(req, res, {
      read: () => readUpload(req, uploads),
      discard: ({ received }) => uploads.discard(received),
    });
    const { received, name, alt } = body;
    const { item, replayed } = await uploadOnce.file(caller, keyOf(req), received, { alt, name });
    if (replayed) markReplayed(res);
    reply(res, 200, item);
  };

/** The caller has to take over or discard the received file. */
export const readUpload = (req: Request, { receive, discard }: Pick<Uploads, 'receive' | 'discard'>) =>
  readForm(req, { receive: (file) => receive(file, 'file'), discard }, ({ fields, wrong }) => ({
    alt: altIn(fields, wrong),
  }));

const altIn = (fields: Record<string, string>, [wrong]: readonly string[]) => {
  if (wrong !== undefined) throw unknownField(wrong);
  const { alt } = parseInput(Fields, fields);
  // Decoding replaced invalid UTF-8 by this character.
  if (alt?.includes('\uFFFD')) throw badInput({ path: 'alt', code: 'BadText', message: 'must be UTF-8' });
  checkText(alt ?? '', 'alt');
  return alt;
};
