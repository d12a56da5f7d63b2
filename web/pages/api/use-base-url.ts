import { useNetworks } from '#web/base/networks.ts';

/** The server's own base URL, which OAuth clients must use whatever address the browser opened. */
export const useBaseUrl = () => {
  const connectUrl = useNetworks().list[0]?.connectUrl;
  return connectUrl && URL.canParse(connectUrl) ? new URL(connectUrl).origin : location.origin;
};
