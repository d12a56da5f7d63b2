import { createAsk, graphVersion } from '#server/networks/families/meta/graph';

export const ask = createAsk('Instagram', (site) => `${site.host('graph')}/${graphVersion(site)}`);
