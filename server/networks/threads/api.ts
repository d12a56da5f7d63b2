import { createAsk } from '#server/networks/families/meta/graph';

/** Threads counts its versions by itself. */
export const ask = createAsk('Threads', (site) => `${site.host('graph')}/v1.0`);
