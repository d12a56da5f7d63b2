import { instantOf } from '#contracts/instant';
import { isUrl } from '#contracts/is-url';
import type { Networks } from '#server/networks/registry';
import { faultMoments, faults } from '#server/networks/sandbox';
import type { SandboxClock } from './clock.ts';
import type { Sandboxes } from './sandboxes.ts';

const postsPerNetwork = 100;

export type SandboxFeed = ReturnType<typeof createSandboxFeed>;

/** What outsiders would see on the sandbox networks, what goes wrong there, and the clock. */
export const createSandboxFeed = ({
  sandboxes,
  sandboxClock,
  networks,
  baseUrl,
}: {
  sandboxes: Sandboxes;
  sandboxClock: SandboxClock;
  networks: Networks;
  baseUrl: string;
}) => {
  /** A network that fetches media has the address; the others received the bytes. */
  const mediaOf = (file: string) => ({
    name: (isUrl(file) ? (file.split('/').at(-1) ?? '') : file).slice(0, 40),
    ...(file.startsWith(`${baseUrl}/media/`) && { thumbnailUrl: `${file.split('?')[0]}?size=thumbnail` }),
  });

  const read = async (key: string) => {
    const { name, constraints } = networks.get(key);
    const posts = await sandboxes.feed(key, postsPerNetwork);
    const plans = await Promise.all(
      faultMoments.map(async (moment) => ({ moment, plan: await sandboxes.plannedFault(key, moment) })),
    );
    return {
      network: key,
      provider: name,
      posts: posts.map(({ id, authorName, text, media, replyTo, createdAt, numbers }) => ({
        id,
        author: authorName,
        text,
        media: media.map(mediaOf),
        ...(replyTo !== undefined && { replyTo }),
        createdAt,
        numbers: Object.fromEntries(constraints.metrics.map((metric) => [metric, numbers?.[metric] ?? 0])),
      })),
      planned: plans.flatMap(({ moment, plan }) => (plan ? [{ moment, ...plan }] : [])),
    };
  };

  return async () => ({
    now: instantOf(sandboxClock.now()),
    aheadMs: sandboxClock.aheadMs(),
    faults: Object.entries(faults).map(([fault, effect]) => ({ fault, effect })),
    networks: await Promise.all(sandboxes.networks.map(read)),
  });
};
