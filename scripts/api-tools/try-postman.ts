// npm run try:postman
// Runs the Postman collection with newman against a service that was just set up. Exits with 1 when a request fails.
// Not part of `npm test`, because it installs packages of bench/.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { startFreshService, toolsFolder } from './fresh-service.ts';

const collection = resolve(import.meta.dirname, '../../openapi/posthorn.postman_collection.json');

const { url, token, pictureUrl, folder, stop } = await startFreshService();
try {
  const variables = Object.entries({ url, token, pictureUrl }).flatMap((pair) => ['--env-var', pair.join('=')]);
  const newman = join(toolsFolder, 'node_modules/newman/bin/newman.js');
  const child = spawn(process.execPath, [newman, 'run', collection, '--working-dir', folder, ...variables], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await stop();
}
