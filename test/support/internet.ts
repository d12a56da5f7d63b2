import { buildConnector } from 'undici';
import type { OutboundOptions } from '#server/base/outbound/guarded-client';

/**
 * DNS and sockets for the guarded client: names resolve to the addresses of the test, one list after the other,
 * and connections to public addresses go to a server of the test. Nothing leaves this machine.
 */
export const pretendInternet = ({
  names,
  port,
  landsOn,
}: {
  names: Record<string, string[][]>;
  port: number;
  /** The remote address of the socket, when it differs from the resolved one. */
  landsOn?: string;
}): Required<Pick<OutboundOptions, 'lookup' | 'connectorFor'>> & { readonly dialled: string[] } => {
  const dialled: string[] = [];
  const remaining = new Map(Object.entries(names).map(([name, answers]) => [name, [...answers]]));
  return {
    dialled,
    lookup: (hostname, _options, callback) => {
      const answers = remaining.get(hostname) ?? [];
      const addresses = answers.length > 1 ? answers.shift() : answers[0];
      if (addresses === undefined) return callback(Object.assign(new Error(), { code: 'ENOTFOUND' }), []);
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
    connectorFor: ({ lookup, ...options }) => {
      const connect = buildConnector(options);
      const dial = (target: buildConnector.Options, address: string, callback: buildConnector.Callback) => {
        dialled.push(address);
        const servername = target.servername ?? target.hostname;
        connect({ ...target, hostname: '127.0.0.1', port: String(port), servername }, (...result) => {
          if (result[1]) Object.defineProperty(result[1], 'remoteAddress', { value: landsOn ?? address });
          callback(...result);
        });
      };
      return (target, callback) => {
        if (/^[\d.]+$|:/.test(target.hostname)) return dial(target, target.hostname, callback);
        lookup(target.hostname, { all: true }, (error, addresses) => {
          if (error) return callback(error, null);
          const [first] = Array.isArray(addresses) ? addresses : [];
          dial(target, first?.address ?? '', callback);
        });
      };
    },
  };
};
