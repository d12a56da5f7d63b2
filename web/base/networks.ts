import { useQuery } from '@tanstack/react-query';
import type { Provider } from '#generated/app-client';
import { queries } from './queries.ts';

export interface NetworkLook {
  network: string;
  name: string;
  code: string;
  color: string;
  /** For dark pages, where `color` would not be visible; its glyph is dark. */
  darkColor?: string | undefined;
}

/** Name and colours of each network, as its folder on the server declares them. */
export const useNetworks = () => {
  const providers: readonly Provider[] = useQuery(queries.providers).data?.providers ?? [];
  return {
    list: providers,
    of: (network: string): NetworkLook => {
      const provider = providers.find((one) => one.network === network);
      const name = provider?.provider ?? network;
      return { network, name, code: name.slice(0, 2), color: '#555A66', ...provider?.badge };
    },
  };
};

/** `@anna`, or the name for accounts without a handle. */
export const handleOf = ({ handle, name }: { handle: string; name: string }) =>
  handle === '' || handle === name || handle.includes(' ') || /^\d+$/.test(handle)
    ? name
    : `@${handle.replace(/^@/, '')}`;
