import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SignedIn } from '#server/base/signed-in';
import type { OwnHandler } from './app-routes.ts';

/** Refuses a person who did not prove who they are. */
export type FindBackupFile = (signedIn: SignedIn, params: { id: string; ticket: string }) => Promise<string>;

/** `GET /api/app/backups/{id}/file/{ticket}`. */
export const downloadBackup =
  ({ findFile }: { findFile: FindBackupFile }): OwnHandler<{ id: string; ticket: string }> =>
  async (req, res, { signedIn }) => {
    const path = await findFile(signedIn, req.params);
    const { size } = await stat(path);
    res.writeHead(200, {
      'content-type': 'application/x-tar',
      'content-length': size,
      'content-disposition': `attachment; filename="${basename(path)}"`,
      'cache-control': 'no-store',
    });
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    try {
      await pipeline(createReadStream(path), res);
    } catch (error) {
      // The client disconnected.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }
  };
