export const sql = `
alter table post_shares add column invites_advice boolean not null default false;

-- What people without an account wrote on a review link, under a name that nobody checked.
create table post_advice (
  workspace_id text not null references workspaces on delete cascade,
  id text not null,
  post_id text not null,
  -- Not a reference: the words outlive the link.
  share_id text not null,
  name text not null,
  verdict text not null,
  body text not null,
  -- updated_at of the post that they saw.
  about timestamptz not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, post_id) references posts (workspace_id, id) on delete cascade
);
create index post_advice_post on post_advice (workspace_id, post_id, id);
create index post_advice_share on post_advice (workspace_id, share_id);
`;
