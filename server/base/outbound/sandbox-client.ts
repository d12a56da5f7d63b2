import { createOutbound, type Outbound } from './guarded-client.ts';

/** The sandbox is on loopback, which the guarded client refuses, so this client reaches the sandbox and nothing else. */
export const createSandboxClient = (
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

const hostAndPort = (url: string) => {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
};
