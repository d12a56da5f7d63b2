import type { SandboxKit } from '#server/networks/sandbox';
import { createOutbound, type Outbound } from '#server/outbound/guarded-client';

const largestFileBytes = 1_000_000_000;

/** The sandbox is on this machine, where the guarded client does not go: this one goes there and nowhere else. */
export const createSandboxOutbound = (
  url: () => string,
): Pick<Outbound, 'request'> & { close: () => Promise<void> | undefined } => {
  let outbound: Outbound | undefined;
  return {
    request: (to, options) => {
      if (!to.startsWith(`${url()}/`)) throw new Error(`${to} is not in the sandbox`);
      outbound ??= createOutbound({ allow: [hostAndPort(url())], plainHttp: true });
      return outbound.request(to, options);
    },
    close: () => outbound?.close(),
  };
};

/** A sandbox that fetches media finds those of this service, whatever name the world knows it by. */
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

const hostAndPort = (url: string) => {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
};
