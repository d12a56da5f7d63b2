import { existsSync, readdirSync } from 'node:fs';

export const networksFolder = 'server/networks';

export const networkKeys = readdirSync(networksFolder).filter((key) => existsSync(`${networksFolder}/${key}/index.ts`));
