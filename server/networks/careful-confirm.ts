import type { Network } from './network.ts';
import { NetworkTrouble } from './trouble.ts';

/**
 * When a network refuses our query for a post, the refusal says nothing about the post. Only a verdict ends the send as
 * refused; after any other refusal it stays unknown whether the post was published.
 */
export const withCarefulConfirm = (network: Network): Network => ({
  ...network,
  confirm: async (...question) => {
    try {
      return await network.confirm(...question);
    } catch (error) {
      throw withoutVerdict(error);
    }
  },
});

const withoutVerdict = (error: unknown) => {
  if (!(error instanceof NetworkTrouble) || error.isVerdict) return error;
  const { kind, message, networkCode } = error;
  if (kind !== 'content' && kind !== 'media') return error;
  return new NetworkTrouble('unknown', message, { ...(networkCode !== undefined && { networkCode }) });
};
