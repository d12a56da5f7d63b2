import type { Request, Response } from 'express';
import { notFound } from '#server/base/errors';
import type { LinkCards } from '#server/writing/posts/link-cards';

/**
 * `GET /link-cards/{hash}`: our copy of the image of a linked page. The hash names its content, so it never changes.
 */
export const linkCardPicture =
  ({ linkCards }: { linkCards: LinkCards }) =>
  async (req: Request<{ id: string }>, res: Response) => {
    const image = await linkCards.picture(req.params.id);
    if (image === undefined) throw notFound('picture of a link card', req.params.id);
    res.setHeader('cache-control', 'private, max-age=31536000, immutable');
    res.type('jpeg').send(image);
  };
