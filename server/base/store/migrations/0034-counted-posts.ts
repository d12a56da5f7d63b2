export const sql = `
-- What scheduling it counted of the plan, and in which month.
alter table posts add column counted jsonb;
`;
