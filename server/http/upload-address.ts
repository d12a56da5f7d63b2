import type { Request, Response } from 'express';
import { keyOfAddress, type RateLimit } from '#server/auth/rate-limit';
import { badInput } from '#server/errors';
import type { UploadAddresses } from '#server/media/upload-addresses';
import type { Uploads } from '#server/media/uploads';
import { isForm } from './form.ts';
import { reply } from './reply.ts';
import { readUpload } from './upload.ts';

/** `POST /upload/{ticket}`: one file, from whoever has the address. */
export const uploadAddressRoute =
  ({
    uploads,
    uploadAddresses,
    rateLimit,
  }: {
    uploads: Uploads;
    uploadAddresses: UploadAddresses;
    rateLimit: Pick<RateLimit, 'take'>;
  }) =>
  async (req: Request<{ ticket: string }>, res: Response) => {
    const { caller, rateKey, record } = await uploadAddresses.admit(req.params.ticket).catch((error: unknown) => {
      rateLimit.take(keyOfAddress(req.ip), res);
      throw error;
    });
    rateLimit.take(rateKey, res);
    if (!isForm(req)) {
      const message = 'must be multipart/form-data with the file in the field file: curl -F file=@FILE and the address';
      throw badInput({ path: 'Content-Type', code: 'BadFormat', message });
    }
    const { received, name, alt } = await readUpload(req, uploads);
    reply(res, 200, await uploads.keep(caller, received, { alt, name }, record));
  };
