import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { copyIn } from '#server/base/store/copy';

test('a copy into a table leaves no listener behind, however often it waits for the socket', async () => {
  const stream = Object.assign(new EventEmitter(), { writableNeedDrain: true });
  const wire = {
    stream,
    sendCopyFromChunk: () => void setImmediate(() => stream.emit('drain')),
    endCopyFrom: () => query.handleReadyForQuery(),
  };
  let query: { handleCopyInResponse(of: typeof wire): void; handleReadyForQuery(): void };
  const client = {
    query: (given: typeof query) => {
      query = given;
      query.handleCopyInResponse(wire);
    },
  } as unknown as pg.Client;
  const chunks = async function* () {
    for (let n = 0; n < 20; n++) yield Buffer.from('row');
  };
  const before = ['close', 'error', 'drain'].map((name) => stream.listenerCount(name));
  await copyIn(client, 'copy rows from stdin', chunks());
  expect(['close', 'error', 'drain'].map((name) => stream.listenerCount(name))).toEqual(before);
});
