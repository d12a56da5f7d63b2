import type { Router } from 'express';
import { isUrl } from '#contracts/is-url';
import type { SandboxKit } from '#server/networks/sandbox';
import { noise } from '#server/networks/shared/picture';

/** The service that reads pages for link cards. */
export const mountCards = (router: Router, kit: SandboxKit) => {
  router.get('/cards/v1/extract', (req, res) => {
    const url = String(req.query.url ?? '');
    const page = { likely_type: 'html', url, image: '' };
    if (!isUrl(url)) return res.status(400).send({ ...page, error: 'Bad url', title: '', description: '' });
    const { host } = new URL(url);
    if (host.endsWith('.invalid')) {
      return res.send({ ...page, error: 'Unable to generate link preview', title: '', description: '' });
    }
    const image = url.includes('picture') ? `${kit.here(req)}/cards/v1/image?url=${encodeURIComponent(url)}` : '';
    const about = { title: `The page of ${host}`, description: 'What the page says of itself.', image };
    res.send({ ...page, error: '', ...about });
  });

  /** A picture larger than a card accepts. */
  router.get('/cards/v1/image', async (_req, res) => {
    res.type('png').send(await noise(1_000));
  });
};
