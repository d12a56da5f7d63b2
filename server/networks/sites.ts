import type { Clock } from '#server/base/clock';
import type { Network, Registration, Site } from './network.ts';
import type { Request } from './request.ts';

export type Sites = ReturnType<typeof createSites>;

const sandboxRegistration: Registration = { clientId: 'sandbox', clientSecret: 'sandbox' };

/** Connects adapters to the networks themselves or to their sandbox. */
export const createSites = ({
  live,
  sandbox,
  setting,
  clock,
}: {
  live: Request;
  sandbox: {
    readonly request: Request;
    /** For requests; known once the service listens. */
    readonly url: () => string;
    /** For people. */
    readonly baseUrl: string;
  };
  /** The operator's settings. */
  setting: (name: string) => string | undefined;
  clock: Clock;
}) => {
  const liveRegistration = ({ settings: [id = '', secret = ''] }: Network): Registration => ({
    clientId: setting(id) ?? '',
    clientSecret: setting(secret) ?? '',
  });
  const shared = {
    setting: (name: string, byDefault: string) => setting(name) ?? byDefault,
    now: clock.now,
  };
  const hostOf = (network: Network, name: string) => {
    const address = network.hosts[name];
    if (address === undefined) throw new Error(`${network.key} has no host ${name}`);
    return address;
  };

  return {
    sandboxUrl: sandbox.url,

    live: (
      network: Network,
      { server = '', registration = liveRegistration(network) }: { server?: string; registration?: Registration } = {},
    ): Site => ({
      ...shared,
      name: network.name,
      host: (name) => hostOf(network, name),
      link: (name) => hostOf(network, name),
      server,
      registration,
      request: live,
    }),

    sandbox: (
      network: Network,
      { server = '', registration = sandboxRegistration }: { server?: string; registration?: Registration } = {},
    ): Site => {
      const path = (name: string) => hostOf(network, name) && `/sandbox/${network.key}/${name}`;
      return {
        ...shared,
        name: network.name,
        host: (name) => sandbox.url() + path(name),
        link: (name) => sandbox.baseUrl + path(name),
        server,
        registration,
        request: sandbox.request,
      };
    },
  };
};
