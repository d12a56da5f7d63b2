import type { Request, Response } from 'express';
import { keyOfAddress, type RateLimit } from '#server/auth/rate-limit';
import { Refusal } from '#server/errors';
import type { Shares } from '#server/review/shares';
import { sendFile, sizeOf } from './media-bytes.ts';
import type { WebApp } from './web-files.ts';

/** The address is the key: neither kept, nor listed, nor told to the next page. */
const beSilent = (res: Response) => {
  res.setHeader('cache-control', 'no-store');
  res.setHeader('x-robots-tag', 'noindex, nofollow');
  res.setHeader('referrer-policy', 'no-referrer');
};

/** `GET /review/{secret}`: the page of the app, which then asks for the post. 404 where nothing is shared. */
export const reviewPage =
  ({ shares, web, rateLimit }: { shares: Shares; web: WebApp; rateLimit: RateLimit }) =>
  async (req: Request<{ secret: string }>, res: Response) => {
    beSilent(res);
    rateLimit.take(keyOfAddress(req.ip), res);
    const works = await shares.works(req.params.secret);
    if (!web.sendPage(req, res, works ? 200 : 404, 'no-store')) {
      throw new Refusal('NotFound', 'There is nothing here for a program. Open it in a browser.');
    }
  };

/** `GET /review/{secret}/media/{key}`: a file of the shared post, for as long as it has it. */
export const reviewMedia =
  ({ shares, rateLimit }: { shares: Shares; rateLimit: RateLimit }) =>
  async (req: Request<{ secret: string; key: string }>, res: Response) => {
    beSilent(res);
    rateLimit.take(keyOfAddress(req.ip), res);
    const { secret, key } = req.params;
    const size = sizeOf(req);
    await sendFile(req, res, await shares.file(secret, key, size), { etag: `"${key}.${size}"` });
  };
