import type { Network } from './network.ts';
import { NetworkTrouble } from './trouble.ts';

/**
 * A question that a network refuses says nothing about the post that it asks for. Only a verdict ends the send as refused;
 * after any other refusal it stays unknown whether the post is out.
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
