import type { Request, Response } from 'express';
import type { SessionDoor } from '#server/access/auth/session-door';
import { badInput } from '#server/base/errors';
import type { Restoring } from '#server/operation/backup/restoring';
import { reply } from './reply.ts';

/** `POST /api/auth/restore/file`: the bytes of a backup, from whoever prepared the upload. */
export const uploadBackup =
  ({ restoring, door }: { restoring: Restoring; door: Pick<SessionDoor, 'mustBeOwnPage'> }) =>
  async (req: Request, res: Response) => {
    door.mustBeOwnPage(req);
    const bytes = Number(req.get('content-length'));
    if (!Number.isSafeInteger(bytes) || bytes <= 0) {
      throw badInput({ path: 'Content-Length', code: 'Required', message: 'is required: send the file as the body' });
    }
    reply(res, 200, await restoring.receive(req.get('posthorn-ticket') ?? '', bytes, req));
  };
