// What dist/ is built from: name, size and time of each file, kept beside what was made of them.
const { existsSync, readdirSync, readFileSync, statSync } = require('node:fs');
const { resolve } = require('node:path');

const root = resolve(__dirname, '..');
const stampFile = resolve(root, 'dist/built-from');

const packages = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json'];
const compilers = ['scripts/build.mjs', 'scripts/built-from.cjs'];
/** The last lines: of what commands for callers of a server somewhere else load. They look at no other files. */
const ofCallers = ['generated', 'scripts/call', 'scripts/program'];
const callersCommands = ['call', 'profile', 'completion'];

const linesOf = (path) => {
  const { mtimeMs = 0, size = 0 } = statSync(`${root}/${path}`, { throwIfNoEntry: false }) ?? {};
  return `${path} ${size} ${mtimeMs}\n`;
};

const linesIn = (folder) =>
  readdirSync(`${root}/${folder}`, { withFileTypes: true })
    .map((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return linesIn(path);
      return entry.name.endsWith('.ts') ? linesOf(path) : '';
    })
    .join('');

const stampOfCallers = () => ofCallers.map(linesIn).join('');
const stamp = () =>
  [...[...packages, ...compilers].map(linesOf), ...['contracts', 'server'].map(linesIn), stampOfCallers()].join('');

const kept = () => {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch {
    return '';
  }
};

/** For a command, or for all of them. */
const isBuilt = (command) => {
  if (!existsSync(`${root}/dist/cli.js`)) return false;
  return callersCommands.includes(command) ? kept().endsWith(stampOfCallers()) : kept() === stamp();
};

module.exports = { isBuilt, stamp, stampFile };
