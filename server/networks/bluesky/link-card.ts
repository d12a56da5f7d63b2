import { z } from 'zod';
import type { Site } from '#server/networks/network';
import { NetworkTrouble } from '#server/networks/trouble';
import type { Link } from './facets.ts';

export interface LinkCard {
  readonly uri: string;
  readonly title: string;
  readonly description: string;
}

const maxTitle = 300;
const maxDescription = 1_000;

const Extract = z.object({
  error: z.string().optional(),
  title: z.string().trim().min(1),
  description: z.string().trim().default(''),
});

/**
 * What the page says about itself, read by the service that Bluesky's own app uses. A post never fails because of its
 * card.
 */
export const cardOf = async (site: Site, { uri }: Link): Promise<LinkCard> => {
  const { host, pathname } = new URL(uri);
  const plain = { uri, title: (host + pathname).replace(/\/$/, ''), description: '' };
  try {
    const { status, json } = await site.request({ url: `${site.host('cards')}/v1/extract`, query: { url: uri } });
    const page = Extract.safeParse(json).data;
    if (status !== 200 || page === undefined || page.error) return plain;
    return { uri, title: page.title.slice(0, maxTitle), description: page.description.slice(0, maxDescription) };
  } catch (error) {
    if (error instanceof NetworkTrouble) return plain;
    throw error;
  }
};
