export const sql = `
-- Weekly times at which posts like to go out, as the clock on the wall of one zone shows them.
create table slot_zones (
  workspace_id text primary key references workspaces on delete cascade,
  time_zone text not null
);
create table slots (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  -- 1 Monday to 7 Sunday.
  days int[] not null,
  -- 09:30
  time text not null,
  -- Empty for all accounts.
  account_ids text[] not null
);
create index slots_workspace on slots (workspace_id, time, id);

-- Whether a slot is taken.
create index posts_scheduled_here on posts (workspace_id, scheduled_at) where status = 'Scheduled';
`;
