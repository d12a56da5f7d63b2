import type { Request, Response } from 'express';
import type { Avatars } from '#server/connecting/accounts/avatars';

/** `GET /avatars/{accountId}`: our copy of the avatar. */
export const avatarBytes =
  ({ avatars }: { avatars: Avatars }) =>
  async (req: Request<{ id: string }>, res: Response) => {
    res.setHeader('cache-control', 'private, max-age=3600');
    sendAvatar(res, await avatars.open(req.params.id));
  };

export const sendAvatar = (res: Response, avatar: Awaited<ReturnType<Avatars['open']>>) => {
  if ('path' in avatar) res.redirect(avatar.path);
  else res.type('webp').send(avatar.image);
};
