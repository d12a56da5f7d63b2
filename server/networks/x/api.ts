import { z } from 'zod';
import type { NetworkAccount, Site } from '#server/networks/network';
import { type NetworkAnswer, type NetworkRequest, retryAt } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';

/** Asks X for the account. What X refuses is thrown as trouble. */
export const ask = async (
  site: Site,
  { tokens }: Pick<NetworkAccount, 'tokens'>,
  { path, ...request }: Omit<NetworkRequest, 'url'> & { path: string },
): Promise<NetworkAnswer> => {
  const answer = await site.request({
    ...request,
    url: site.host('api') + path,
    headers: { authorization: `Bearer ${tokens.accessToken}`, ...request.headers },
  });
  if (answer.status >= 400) throw troubleOf(answer, site.now());
  return answer;
};

const Problem = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  type: z.string().optional(),
  errors: z.array(z.object({ message: z.string() })).optional(),
});

const troubleOf = ({ status, headers, json }: NetworkAnswer, now: Date) => {
  const problem = Problem.safeParse(json).data;
  const said = problem?.detail ?? problem?.errors?.[0]?.message ?? problem?.title ?? `HTTP ${status}`;
  const type = problem?.type === 'about:blank' ? undefined : problem?.type;
  const networkCode = type?.split('/').at(-1) ?? String(status);
  if (status === 401) return new NetworkTrouble('token', 'X refused our access.', { networkCode });
  if (status === 402) {
    return new NetworkTrouble(
      'temporary',
      'The X app of this server is out of credits: its operator has to buy more.',
      {
        networkCode: 'CreditsDepleted',
        // Whatever was asked for was not done.
        reached: false,
      },
    );
  }
  if (status === 429) {
    const until = retryAt(headers['retry-after'] ?? headers['x-rate-limit-reset'], now);
    return new NetworkTrouble('rateLimited', 'X asks to wait before the next post.', {
      networkCode,
      ...(until && { until }),
    });
  }
  if (status >= 500) return new NetworkTrouble('temporary', 'X is not available.', { networkCode });
  if (status === 403 && /\bquot(?:e|ing)/i.test(said)) {
    return new NetworkTrouble(
      'content',
      `X refused the quoted post (${said}) Remove x.quote; if every quote is refused, the X app of this server may not quote, and its operator has to ask X for a higher tier.`,
      { networkCode },
    );
  }
  if (status === 403 && /client-forbidden|not-authorized|oauth1-permissions/.test(networkCode)) {
    return new NetworkTrouble('permission', `X does not allow this to the account or the app: ${said}`, {
      networkCode,
    });
  }
  if (/duplicate/i.test(said)) {
    return new NetworkTrouble('content', 'X refused the post because the account has posted the same text before.', {
      networkCode: 'duplicate',
    });
  }
  return new NetworkTrouble(/media/i.test(said) ? 'media' : 'content', `X refused the post: ${said}`, { networkCode });
};
