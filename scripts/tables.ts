import { readFileSync } from 'node:fs';

export const tableRow = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** A page with the rows of its tables, each between `<!-- name -->` and `<!-- /name -->` below the head. */
export const fillTables = (path: string, tables: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(tables).reduce(
    (page, [name, rows]) => {
      const filled = page.replace(
        new RegExp(`(<!-- ${name} -->\\n\\n(?:\\|.*\\n){2})(?:\\|.*\\n)*(\\n<!-- /${name} -->)`),
        (_, head: string, end: string) => `${head}${rows.join('\n')}\n${end}`,
      );
      if (!filled.includes(rows[0] ?? ''))
        throw new Error(`${path} has no table between <!-- ${name} --> and <!-- /${name} -->.`);
      return filled;
    },
    readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'),
  );
