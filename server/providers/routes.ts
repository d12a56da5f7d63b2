import type { InstallationRoutes } from '#contracts/installation';
import type { RouteHandlers } from '#server/context';
import type { NetworkKeys } from './network-keys.ts';

export const networkKeyRoutes = ({
  networkKeys,
  mustBeOperator,
  operatorName,
}: {
  networkKeys: NetworkKeys;
  mustBeOperator: (userId: string, does: string) => Promise<void>;
  operatorName: () => Promise<string>;
}): RouteHandlers<Pick<InstallationRoutes, 'readNetworkKeys' | 'saveNetworkKeys' | 'removeNetworkKeys'>> => ({
  readNetworkKeys: async () => {
    const operator = await operatorName();
    await networkKeys.settled();
    return { networks: networkKeys.list(), operator };
  },
  saveNetworkKeys: async ({ caller, params, body, requestId }) => {
    await mustBeOperator(caller.userId, 'enters the credentials of networks');
    return networkKeys.save(caller.userId, params.network, body.values, requestId);
  },
  removeNetworkKeys: async ({ caller, params, requestId }) => {
    await mustBeOperator(caller.userId, 'removes the credentials of networks');
    await networkKeys.remove(caller.userId, params.network, requestId);
    return { done: true };
  },
});
