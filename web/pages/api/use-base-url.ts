import { useNetworks } from '#web/networks.ts';

/** As the server calls itself: a client that signs in must use this one, whatever the browser opened. */
export const useBaseUrl = () => {
  const connectUrl = useNetworks().list[0]?.connectUrl;
  return connectUrl && URL.canParse(connectUrl) ? new URL(connectUrl).origin : location.origin;
};
