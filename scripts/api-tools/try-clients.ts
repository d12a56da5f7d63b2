// npm run try:clients [-- <generator> …]
// Generates clients from openapi/openapi.json with the generators of other people, compiles a program that uploads a file
// with each, and runs it against a service that was just set up. Exits with 1 when one fails.
// Not part of `npm test`, because it installs packages of bench/.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { clients, expected, type GeneratedClient } from './clients.ts';
import { startFreshService } from './fresh-service.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

const prepare = (folder: string, picture: string, { packages, program }: GeneratedClient) => {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(packages, 'node_modules'), join(folder, 'node_modules'));
  copyFileSync(join(root, 'openapi/openapi.json'), join(folder, 'api.json'));
  copyFileSync(picture, join(folder, 'picture.png'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  writeFileSync(join(folder, 'program.ts'), program);
};

const tryClient = async (client: GeneratedClient, folder: string, url: string, token: string) => {
  const inFolder = { cwd: folder, env: { ...process.env, POSTHORN_URL: url, POSTHORN_TOKEN: token } };
  await run(process.execPath, [...client.generate(folder, url)], inFolder);
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], inFolder);
  const { stdout } = await run(process.execPath, [join(root, 'node_modules/tsx/dist/cli.mjs'), 'program.ts'], inFolder);
  if (!isDeepStrictEqual(JSON.parse(stdout), expected)) throw new Error(`It printed ${stdout}`);
};

const versionOf = ({ packages, generator }: GeneratedClient): string =>
  JSON.parse(readFileSync(join(packages, 'node_modules', generator, 'package.json'), 'utf8')).version;

const selection = process.argv.slice(2);
const service = await startFreshService();
try {
  for (const client of clients.filter((one) => selection.length === 0 || selection.includes(one.generator))) {
    const folder = join(service.folder, client.generator);
    prepare(folder, service.picture, client);
    const trouble = await tryClient(client, folder, service.url, service.token).then(
      () => undefined,
      (error: { message: string; stdout?: string }) => `${error.message}\n${error.stdout ?? ''}`,
    );
    if (trouble !== undefined) process.exitCode = 1;
    console.log(`${client.generator} ${versionOf(client)}: ${trouble ?? 'compiles and uploads'}`);
  }
} finally {
  await service.stop();
}
