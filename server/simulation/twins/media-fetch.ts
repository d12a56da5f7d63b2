import { isUrl } from '#contracts/is-url';
import { createOutbound } from '#server/base/outbound/guarded-client';
import { createSandboxClient } from '#server/base/outbound/sandbox-client';
import type { SandboxKit } from '#server/networks/sandbox';

const largestFileBytes = 100_000_000;
const loopback = /^(127(\.\d+){3}|\[::1\]|localhost)$/;

export const isLoopback = (host: string) => loopback.test(host.includes(':') ? `[${host}]` : host);

/**
 * For twins of networks that fetch media. Networks fetch from the public internet. Twins also fetch from this machine,
 * where tests run, unless other machines can reach the twins.
 */
export const createMediaFetch = ({ isExposed }: { isExposed: boolean }): SandboxKit['fetchMedia'] => {
  const outbound = createOutbound({});
  return async (url) => {
    if (!isUrl(url)) return undefined;
    const { href, origin, hostname } = new URL(url);
    const isHere = loopback.test(hostname) && !isExposed;
    const client = isHere ? createSandboxClient(() => origin) : undefined;
    const answer = await (client ?? outbound).request(href, { maxBytes: largestFileBytes });
    await client?.close();
    if (!answer.ok || answer.status !== 200) return undefined;
    return { mimeType: String(answer.headers['content-type']).replace(/;.*/, ''), bytes: answer.body };
  };
};
