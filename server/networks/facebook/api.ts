import { createAsk, graphVersion } from '#server/networks/families/meta/graph';

export const ask = createAsk('Facebook', (site) => `${site.host('graph')}/${graphVersion(site)}`);

/** Videos of the feed have a host of their own. */
export const askVideo = createAsk('Facebook', (site) => `${site.host('video')}/${graphVersion(site)}`);
