import { useQuery } from '@tanstack/react-query';
import type { Provider } from '#generated/app-client';
import { queries } from './queries.ts';

export interface NetworkLook {
  name: string;
  /** Two letters, like a chemical element. */
  code: string;
  color: string;
  /** Where the colour would vanish on a dark page; letters are dark on it. */
  darkColor?: string | undefined;
}

/** Names and looks of the networks, from their own folders on the server. */
export const useNetworks = () => {
  const providers: readonly Provider[] = useQuery(queries.providers).data?.providers ?? [];
  return {
    list: providers,
    of: (network: string): NetworkLook => {
      const found = providers.find((one) => one.network === network);
      const name = found?.provider ?? network;
      return { name, code: name.slice(0, 2), color: '#555A66', ...found?.badge };
    },
  };
};

/** `@anna`, or the name of a page that has no handle. */
export const handleOf = ({ handle, name }: { handle: string; name: string }) =>
  handle === '' || handle === name || handle.includes(' ') || /^\d+$/.test(handle)
    ? name
    : `@${handle.replace(/^@/, '')}`;
