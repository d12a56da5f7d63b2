import type { Request, Response } from 'express';
import { keyOfAddress } from '#server/access/auth/rate-limit';
import { badInput } from '#server/base/errors';
import type { UploadAddresses } from '#server/media/upload-addresses';
import type { Uploads } from '#server/media/uploads';
import { isForm } from './form.ts';
import { type Limit, receive } from './receive.ts';
import { reply } from './reply.ts';
import { readUpload } from './upload.ts';

/** `POST /upload/{ticket}`: one file, from whoever has the address. */
export const uploadAddressRoute =
  ({ uploads, uploadAddresses, rateLimit }: { uploads: Uploads; uploadAddresses: UploadAddresses; rateLimit: Limit }) =>
  async (req: Request<{ ticket: string }>, res: Response) => {
    let hasBegun = false;
    const admit = async (limit: Limit) => {
      const admitted = await uploadAddresses.admit(req.params.ticket, { hasBegun }).catch((error: unknown) => {
        limit.take(keyOfAddress(req.ip), res);
        throw error;
      });
      limit.take(admitted.rateKey, res);
      hasBegun = true;
      return admitted;
    };
    const { sender, body } = await receive(req, rateLimit, admit, {
      read: () => {
        if (isForm(req)) return readUpload(req, uploads);
        const message =
          'must be multipart/form-data with the file in the field file: curl -F file=@FILE and the address';
        throw badInput({ path: 'Content-Type', code: 'BadFormat', message });
      },
      discard: ({ received }) => uploads.discard(received),
    });
    const { received, name, alt } = body;
    reply(res, 200, await uploads.keep(sender.caller, received, { alt, name }, sender.record));
  };
