import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ExportQuery } from '#contracts/transfer';
import { parseInput } from '#server/agents/admission';
import type { Exports } from '#server/planning/transfer/exports';
import type { OwnHandler } from './app-routes.ts';
import { mustBeOpenWorkspace } from './authenticate.ts';

const types = { json: 'application/json', csv: 'text/csv' } as const;

/**
 * `GET /api/app/export`: streams with backpressure, so that no post is read before the client has taken the ones before
 * it.
 */
export const exportRoute =
  ({ exports }: { exports: Exports }): OwnHandler<Record<string, string>> =>
  async (req, res, { signedIn, caller }) => {
    const { workspace, from, to, ...request } = parseInput(ExportQuery, req.query);
    mustBeOpenWorkspace(signedIn, workspace);
    const chunks = exports.stream(caller, { ...request, from: from || null, to: to || null });
    // Read the first chunk before sending headers, so that an early error can still have its own status.
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
      // The client disconnected.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }
  };
