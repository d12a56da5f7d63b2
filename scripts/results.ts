/** The sections of bench/RESULTS.md by name. */
export const readSections = (results: string): ReadonlyMap<string, string> =>
  new Map(
    results
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const end = section.indexOf('\n');
        return [section.slice(0, end), section.slice(end + 1)];
      }),
  );

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

export const readTables = (section: string): readonly Table[] =>
  (section.match(/(?:^\|.*\|\n?)+/gm) ?? []).map((text) => {
    const [head = [], , ...rows] = text.trim().split('\n').map(cellsOf);
    return { head, rows };
  });
