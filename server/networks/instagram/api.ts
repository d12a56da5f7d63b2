import { createAsk, graphVersion } from '#server/networks/shared/graph';

export const ask = createAsk('Instagram', (site) => `${site.host('graph')}/${graphVersion(site)}`);
