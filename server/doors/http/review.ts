import type { Request, Response } from 'express';
import { keyOfAddress, type RateLimit } from '#server/access/auth/rate-limit';
import { Refusal } from '#server/base/errors';
import type { Avatars } from '#server/connecting/accounts/avatars';
import type { Shares } from '#server/planning/review/shares';
import { sendAvatar } from './avatar-bytes.ts';
import { sendFile, sizeOf } from './media-bytes.ts';
import type { WebApp } from './web-app.ts';

/** The address is the secret, so it must not be cached, indexed or sent as a referrer. */
const hideAddress = (res: Response) => {
  res.setHeader('cache-control', 'no-store');
  res.setHeader('x-robots-tag', 'noindex, nofollow');
  res.setHeader('referrer-policy', 'no-referrer');
};

/** `GET /review/{secret}`: the page of the app, which then fetches the post. 404 if the link does not work. */
export const reviewPage =
  ({ shares, web, rateLimit }: { shares: Shares; web: WebApp; rateLimit: RateLimit }) =>
  async (req: Request<{ secret: string }>, res: Response) => {
    hideAddress(res);
    rateLimit.take(keyOfAddress(req.ip), res);
    const works = await shares.works(req.params.secret);
    if (!web.sendPage(req, res, works ? 200 : 404, 'no-store')) {
      throw new Refusal('NotFound', 'There is nothing here for a program. Open it in a browser.');
    }
  };

/** `GET /review/{secret}/media/{key}`: a file that the shared post still uses. */
export const reviewMedia =
  ({ shares, rateLimit }: { shares: Shares; rateLimit: RateLimit }) =>
  async (req: Request<{ secret: string; key: string }>, res: Response) => {
    hideAddress(res);
    rateLimit.take(keyOfAddress(req.ip), res);
    const { secret, key } = req.params;
    const size = sizeOf(req);
    await sendFile(req, res, await shares.file(secret, key, size), { etag: `"${key}.${size}"` });
  };

/** `GET /review/{secret}/avatars/{key}`: the picture of an account that the shared post goes to. */
export const reviewAvatar =
  ({ shares, avatars, rateLimit }: { shares: Shares; avatars: Avatars; rateLimit: RateLimit }) =>
  async (req: Request<{ secret: string; key: string }>, res: Response) => {
    hideAddress(res);
    rateLimit.take(keyOfAddress(req.ip), res);
    const { secret, key } = req.params;
    sendAvatar(res, await avatars.open(await shares.accountIdOf(secret, key)));
  };
