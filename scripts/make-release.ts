// npm run release -- 0.2.0: prepares the tree for tagging, and writes the files of the release to dist/release.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mustBeMeasured } from './measured-commits.ts';
import { mustBeNext, notesOf, numberApiChanges } from './release-notes.ts';

const root = resolve(import.meta.dirname, '..');
const output = join(root, 'dist/release');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const write = (path: string, text: string) => writeFileSync(join(root, path), text);

const run = (command: string, args: readonly string[], { cwd = root }: { cwd?: string } = {}) => {
  const { status, error, stdout } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')} ended with ${status}; see above.`);
  return stdout;
};

const mustBeClean = () => {
  const changed = run('git', ['status', '--porcelain']);
  if (changed !== '') throw new Error(`Commit first, a release is made of what is committed:\n${changed}`);
};

/** Writes the version everywhere it appears and regenerates the packages. */
const setVersion = (version: string) => {
  const npm = ['version', version, '--no-git-tag-version', '--allow-same-version'];
  run('npm', npm);
  for (const name of ['sdk', 'contract', 'n8n']) run('npm', npm, { cwd: join(root, 'packages', name) });
  const project = 'packages/python/pyproject.toml';
  write(project, read(project).replace(/^version = "[^"]*"/m, `version = "${version}"`));
  write('server.json', read('server.json').replace(/"version": "[^"]*"/, `"version": "${version}"`));
  write('docs/api-changes.md', numberApiChanges(read('docs/api-changes.md'), version));
  run('npm', ['run', '-s', 'generate']);
  run('npm', ['run', '-s', 'released', '--', '--release']);
};

/** Packs the current content of all files that git tracks or would add. */
const packSources = (version: string) => {
  const files = run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  writeFileSync(join(output, 'files'), files);
  const prefix = `posthorn-${version}`;
  const options = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--transform=s,^,${prefix}/,`];
  run('tar', ['-czf', join(output, `${prefix}.tar.gz`), ...options, '--null', '-T', join(output, 'files')]);
  rmSync(join(output, 'files'));
};

const engine = () => ['docker', 'podman'].find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0);

/**
 * Reports the image that was built, or that none was built: a release without an image must not look like one with it.
 */
const buildImage = (version: string) => {
  const name = engine();
  if (name === undefined) return 'image: not run, there is no container engine here (docker or podman)\n';
  const tag = `posthorn:${version}`;
  run(name, ['build', '-f', 'ops/Dockerfile', '-t', tag, '.']);
  const id = run(name, ['image', 'inspect', '--format', '{{.Id}}', tag]).trim();
  return `image: ${tag}, built by ${name}\nid: ${id}\ndigest: a registry gives it when the image is pushed\n`;
};

const sums = () =>
  readdirSync(output)
    .filter((name) => name !== 'SHA256SUMS')
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(output, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');

const main = () => {
  const { version: current } = JSON.parse(read('package.json')) as { version: string };
  const version = mustBeNext(process.argv[2], current);
  const notes = notesOf(read('CHANGES.md'), version);
  mustBeClean();
  mustBeMeasured(root);
  setVersion(version);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  write('dist/release/NOTES.md', notes);
  write('dist/release/sbom.cdx.json', run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev']));
  packSources(version);
  for (const folder of ['packages/sdk', 'packages/contract']) {
    run('npm', ['pack', '--silent', '--pack-destination', output], { cwd: join(root, folder) });
  }
  write('dist/release/IMAGE', buildImage(version));
  write('dist/release/SHA256SUMS', sums());
  console.log(`${read('dist/release/SHA256SUMS')}
${read('dist/release/IMAGE')}
Next:
  npm test
  git commit -am "release: ${version}" && git tag -s v${version} -F dist/release/NOTES.md`);
};

try {
  main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
