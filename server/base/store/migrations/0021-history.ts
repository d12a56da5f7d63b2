export const sql = `
-- What made the post; null when nobody wrote it down.
alter table posts add column created_client jsonb;

-- What was done to a post. An edit has the content that it left; a post that was never edited has none here.
create table post_history (
  post_id text not null references posts on delete cascade,
  number int not null,
  kind text not null check (kind in ('Created', 'Edited', 'Scheduled', 'Unscheduled', 'Publishing')),
  user_id text not null,
  client jsonb,
  since timestamptz not null,
  at timestamptz not null,
  scheduled_at timestamptz,
  changed text[],
  account_ids text[],
  versions jsonb,
  content_hash bytea,
  characters int,
  bytes int,
  primary key (post_id, number)
);

-- How publishing ended, for the history of a post.
create index events_post on events ((data -> 'post' ->> 'id')) where type in ('post.published', 'post.failed');
`;
