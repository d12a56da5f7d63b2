import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

const continueStatus = Buffer.from('HTTP/1.1 100');
const endOfHeaders = '\r\n\r\n';
const noBytes = Buffer.alloc(0);

/** Errors of reused connections that broke before any byte of an answer to the current request. */
const brokenWhileReused = new WeakSet<object>();
export const brokeWhileReused = (error: unknown) => brokenWhileReused.has(error as object);

/**
 * Adds two things to undici: an unsolicited `100 Continue` before the answer is dropped, where undici would close the
 * connection, and `brokeWhileReused` tells whether a broken connection had served a request before.
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
  let pending: Buffer = noBytes;

  socket.write = (...args: unknown[]) => {
    if (isAnswered) {
      requests++;
      isAnswered = false;
      pending = noBytes;
    }
    return write(...args);
  };

  socket.read = (size?: number) => {
    const chunk = read(size);
    if (chunk === null || size === 0 || isAnswered) return chunk;
    pending = withoutContinue(pending === noBytes ? chunk : Buffer.concat([pending, chunk]));
    if (isContinue(pending)) return null;
    isAnswered = true;
    return pending;
  };

  socket.on('error', (error) => {
    if (requests > 1 && !isAnswered) brokenWhileReused.add(error);
  });
};

const withoutContinue = (bytes: Buffer): Buffer => {
  const end = isContinue(bytes) ? bytes.indexOf(endOfHeaders) : -1;
  return end < 0 ? bytes : withoutContinue(bytes.subarray(end + endOfHeaders.length));
};

/** Also true for a prefix of one, which the next bytes may complete. */
const isContinue = (bytes: Buffer) => {
  for (let i = 0; i < bytes.length && i < continueStatus.length; i++) if (bytes[i] !== continueStatus[i]) return false;
  return true;
};
