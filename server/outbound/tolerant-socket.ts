import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

const unasked = Buffer.from('HTTP/1.1 100');
const endOfHeaders = '\r\n\r\n';
const nothing = Buffer.alloc(0);

/** Errors of a connection that had served before and broke before any answer to the request it carries. */
const brokenWhileReused = new WeakSet<object>();
export const brokeWhileReused = (error: unknown) => brokenWhileReused.has(error as object);

/**
 * Two things that undici does not do: an unasked `100 Continue` before the answer is dropped, where undici would cut the
 * connection, and the error of a broken connection can be asked whether it had served before.
 */
export const tolerant =
  (connect: buildConnector.connector): buildConnector.connector =>
  (target, callback) =>
    connect(target, (...result) => {
      if (result[1]) watch(result[1]);
      callback(...result);
    });

const watch = (socket: Socket) => {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let requests = 0;
  let isAnswered = true;
  let held: Buffer = nothing;

  socket.write = (...args: unknown[]) => {
    if (isAnswered) {
      requests++;
      isAnswered = false;
      held = nothing;
    }
    return write(...args);
  };

  socket.read = (size?: number) => {
    const chunk = read(size);
    if (chunk === null || size === 0 || isAnswered) return chunk;
    held = withoutContinue(held === nothing ? chunk : Buffer.concat([held, chunk]));
    if (isContinue(held)) return null;
    isAnswered = true;
    return held;
  };

  socket.on('error', (error) => {
    if (requests > 1 && !isAnswered) brokenWhileReused.add(error);
  });
};

const withoutContinue = (bytes: Buffer): Buffer => {
  const end = isContinue(bytes) ? bytes.indexOf(endOfHeaders) : -1;
  return end < 0 ? bytes : withoutContinue(bytes.subarray(end + endOfHeaders.length));
};

/** Or could become one with the bytes to come. */
const isContinue = (bytes: Buffer) => {
  for (let i = 0; i < bytes.length && i < unasked.length; i++) if (bytes[i] !== unasked[i]) return false;
  return true;
};
