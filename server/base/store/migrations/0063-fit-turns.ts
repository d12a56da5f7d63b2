export const sql = `
-- Workspaces take turns: jobs are run in this order, and each further job of a workspace is a turn later.
alter table fit_jobs add column turn bigint not null default 0;
`;
