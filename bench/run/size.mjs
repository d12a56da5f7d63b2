import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** In MB. The image does not include packages that only the build needs (ops/Dockerfile). */
export const sizesOf = (root, imageMb) => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  const needed = installed.filter(([, { dev }]) => !dev);
  const sizeOf = (some) => some.reduce((sum, [path]) => sum + bytesIn(join(root, path)), 0) / 1e6;
  const compiler = needed.filter(([path]) => /node_modules\/(@esbuild\/|esbuild$)/.test(path));
  const own = (bytesIn(join(root, 'dist')) + bytesIn(join(root, 'openapi'))) / 1e6;
  return [
    ['node_modules after npm ci', sizeOf(installed)],
    ['node_modules that the service needs', sizeOf(needed)],
    ['dist and openapi', own],
    ['what the image adds to that of Node', sizeOf(needed) - sizeOf(compiler) + own],
    ['the image, unpacked', imageMb ?? 'run node ops/try-image.mjs, and give its figure with --image-mb'],
  ];
};

/** Without packages inside: they are counted by themselves. */
const bytesIn = (folder) => {
  let bytes = 0;
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') bytes += bytesIn(path);
    else if (entry.isFile()) bytes += statSync(path).size;
  }
  return bytes;
};

/** Empty for a missing folder: an optional package of another platform. */
const entriesOf = (folder) => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};
