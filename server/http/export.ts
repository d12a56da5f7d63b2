import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ExportQuery } from '#contracts/transfer';
import { badInput, issuesOf } from '#server/errors';
import type { Exports } from '#server/transfer/exports';
import { callerIn, mustBeOpen, type OwnHandler } from './app-routes.ts';

const types = { json: 'application/json', csv: 'text/csv' } as const;

/** `GET /api/app/export`: as fast as somebody takes it, and no further than they do. */
export const exportRoute =
  ({ exports }: { exports: Exports }): OwnHandler<Record<string, string>> =>
  async (req, res, signedIn) => {
    const query = ExportQuery.safeParse(req.query);
    if (!query.success) throw badInput(...issuesOf(query.error, req.query));
    const { workspace, from, to, ...request } = query.data;
    mustBeOpen(signedIn, workspace);
    const chunks = exports.stream(callerIn(signedIn), { ...request, from: from || null, to: to || null });
    // What goes wrong at once is still an answer of its own.
    const first = await chunks.next();
    const name = request.format === 'json' ? 'posthorn' : `posthorn-${request.part}`;
    res.writeHead(200, {
      'content-type': `${types[request.format]}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}.${request.format}"`,
      'cache-control': 'no-store',
    });
    if (req.method === 'HEAD') {
      await chunks.return(undefined);
      res.end();
      return;
    }
    res.write(first.value ?? '');
    try {
      await pipeline(Readable.from(chunks), res);
    } catch (error) {
      // Whoever asked is gone, and with them the reason to go on.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }
  };
