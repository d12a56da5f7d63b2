import { importCompiled } from '../compiled.mjs';

const { startNetwork } = await importCompiled('bench/publish/network.mjs');
process.send(await startNetwork());
