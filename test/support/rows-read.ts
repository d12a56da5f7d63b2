import type pg from 'pg';

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const rowsIn = ({ Plans = [], ...node }: Plan): number => {
  const rows = node['Relation Name'] ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0;
  return Plans.reduce((sum, plan) => sum + rowsIn(plan), rows * node['Actual Loops']);
};

/** Rows of tables that PostgreSQL looks at for this statement. */
export const rowsRead = async (client: pg.Client, text: string, values: readonly unknown[]) => {
  const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...values]);
  return rowsIn(rows[0]['QUERY PLAN'][0].Plan);
};
