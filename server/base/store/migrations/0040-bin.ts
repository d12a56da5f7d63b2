export const sql = `
-- Deleted posts, which can be restored for a while. They have left posts, so nothing else can take them for posts.
create table deleted_posts (
  workspace_id text not null references workspaces on delete cascade,
  id text not null,
  -- Of the post, as it was.
  status text not null,
  account_ids text[] not null,
  versions jsonb not null,
  scheduled_at timestamptz,
  results jsonb not null,
  created_by text not null,
  created_client jsonb,
  updated_at timestamptz not null,
  -- Of the rows that are deleted with a post.
  label_ids text[] not null,
  history jsonb not null,
  comments jsonb not null,
  deleted_by text not null,
  deleted_client jsonb,
  deleted_at timestamptz not null default posthorn_now(),
  primary key (workspace_id, id)
);
create index deleted_posts_newest on deleted_posts (workspace_id, deleted_at desc, id desc);
create index deleted_posts_age on deleted_posts (deleted_at);

alter table post_history drop constraint post_history_kind_check, add constraint post_history_kind_check
  check (kind in ('Created', 'Edited', 'Scheduled', 'Unscheduled', 'Publishing', 'Deleted', 'Restored')) not valid;
`;
