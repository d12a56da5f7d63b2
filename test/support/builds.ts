import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** The command and the web app are built once for the whole run, when their sources have changed. */
export const build = async () => {
  const scripts = ['build.mjs', 'build-web.mjs'];
  const codes = await Promise.all(
    scripts.map(async (script) => {
      const path = resolve(import.meta.dirname, '../../scripts', script);
      const [code] = await once(spawn(process.execPath, [path], { stdio: ['ignore', 2, 2] }), 'close');
      return code;
    }),
  );
  if (codes.some((code) => code !== 0)) throw new Error('Posthorn could not be built; see above.');
};
