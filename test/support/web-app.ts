import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/** The web app is built once for the whole run, when its sources have changed. */
export default function setup() {
  const script = resolve(import.meta.dirname, '../../scripts/build-web.mjs');
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The web app could not be built; see above.');
}
