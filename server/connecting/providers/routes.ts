import type { InstallationRoutes } from '#contracts/installation';
import type { RouteHandlers } from '#server/base/context';
import type { ProofOfPerson } from '#server/base/signed-in';
import type { NetworkKeys } from './network-keys.ts';

export const networkKeyRoutes = ({
  networkKeys,
  mustBeOperator,
  mustProve,
  operatorName,
}: {
  networkKeys: NetworkKeys;
  mustBeOperator: (userId: string, does: string) => Promise<void>;
  mustProve: ProofOfPerson['mustProve'];
  operatorName: () => Promise<string>;
}): RouteHandlers<Pick<InstallationRoutes, 'readNetworkKeys' | 'saveNetworkKeys' | 'removeNetworkKeys'>> => ({
  readNetworkKeys: async () => {
    const operator = await operatorName();
    await networkKeys.settled();
    return { networks: networkKeys.list(), operator };
  },
  saveNetworkKeys: async ({ caller, signedIn, params, body: { values, ...proof }, address, requestId }) => {
    await mustBeOperator(caller.userId, 'enters the credentials of networks');
    await mustProve(signedIn, proof, address);
    return networkKeys.save(caller.userId, params.network, values, requestId);
  },
  removeNetworkKeys: async ({ caller, signedIn, params, body, address, requestId }) => {
    await mustBeOperator(caller.userId, 'removes the credentials of networks');
    await mustProve(signedIn, body, address);
    await networkKeys.remove(caller.userId, params.network, requestId);
    return { done: true };
  },
});
