import type { IncomingMessage } from 'node:http';
import type { RateLimit } from '#server/access/auth/rate-limit';

export type Limit = Pick<RateLimit, 'take'>;

export interface Reader<Sender, Body> {
  read(sender: Sender): Promise<Body>;
  /** Called for a body whose sender is refused after it was read. */
  discard?(body: Body): Promise<unknown>;
}

export const noBody = { read: async () => undefined };

/**
 * Identifies the sender, reads the body and identifies the sender again: a body may take an hour, and meanwhile its sender
 * may have signed out or been removed. The first identification keeps strangers from sending bodies at all.
 */
export const receive = async <Sender, Body>(
  req: IncomingMessage,
  rateLimit: Limit,
  identify: (rateLimit: Limit) => Promise<Sender>,
  { read, discard }: Reader<Sender, Body>,
): Promise<{ sender: Sender; body: Body }> => {
  const sender = await identify(rateLimit);
  // The whole body was here before its sender was known.
  if (req.complete) return { sender, body: await read(sender) };
  const body = await read(sender);
  try {
    return { sender: await identify(uncounted), body };
  } catch (error) {
    await discard?.(body);
    throw error;
  }
};

/** A request counts once, however often its sender is identified. */
const uncounted: Limit = { take: () => undefined };
