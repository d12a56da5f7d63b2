import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** Does nothing when no source has changed. */
export const runBuild = async (script: 'build.mjs' | 'build-web.mjs' | 'build-help.mjs') => {
  const path = resolve(import.meta.dirname, '../../scripts', script);
  const [code] = await once(spawn(process.execPath, [path], { stdio: ['ignore', 2, 2] }), 'close');
  if (code !== 0) throw new Error(`${script} ended with ${code}; see above.`);
};
