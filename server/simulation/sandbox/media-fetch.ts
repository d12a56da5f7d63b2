import type { Outbound } from '#server/base/outbound/guarded-client';
import type { SandboxKit } from '#server/networks/sandbox';

const largestFileBytes = 1_000_000_000;

/** A sandbox fetches media over loopback, because the public address may not be reachable from this machine. */
export const createMediaFetch =
  ({
    outbound,
    baseUrl,
    ownUrl,
  }: {
    outbound: Pick<Outbound, 'request'>;
    baseUrl: string;
    ownUrl: () => string;
  }): SandboxKit['fetchMedia'] =>
  async (url) => {
    if (!url.startsWith(`${baseUrl}/media/`)) return undefined;
    const answer = await outbound.request(ownUrl() + url.slice(baseUrl.length), { maxBytes: largestFileBytes });
    if (!answer.ok || answer.status !== 200) return undefined;
    return { mimeType: String(answer.headers['content-type']), bytes: answer.body };
  };
