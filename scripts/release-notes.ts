/** The section of a release in CHANGES.md, without its heading. */
export const notesOf = (changes: string, version: string): string => {
  const [, ...sections] = changes.split(/^## /m);
  const section = sections.find((text) => text.slice(0, text.indexOf('\n')).trim() === version);
  if (section === undefined) {
    throw new Error(`CHANGES.md has no section "## ${version}". Write what users notice there, then run this again.`);
  }
  const notes = section.slice(section.indexOf('\n')).trim();
  if (notes === '') throw new Error(`The section "## ${version}" of CHANGES.md is empty. Write what users notice.`);
  return `${notes}\n`;
};

/** docs/api-changes.md with its section Unreleased renamed to the version. */
export const numberApiChanges = (text: string, version: string): string =>
  text.includes(`\n## ${version}\n`) ? text : text.replace(/^## Unreleased$/m, `## ${version}`);

const versionForm = /^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/;

/** Compares versions by number. A version with a suffix, such as 1.0.0-rc.1, comes before the same one without it. */
const isBefore = (one: string, other: string) => {
  const [a, b] = [one, other].map((version) => version.split('-', 1)[0]?.split('.').map(Number) ?? []);
  const place = [0, 1, 2].find((at) => a?.[at] !== b?.[at]);
  if (place === undefined) return one.includes('-') && !other.includes('-');
  return (a?.[place] ?? 0) < (b?.[place] ?? 0);
};

export const mustBeNext = (version: string | undefined, current: string): string => {
  if (version === undefined || !versionForm.test(version)) {
    throw new Error('Give the version, such as 0.2.0: npm run release -- 0.2.0');
  }
  if (isBefore(version, current)) throw new Error(`${version} is before ${current}, which package.json has.`);
  return version;
};
