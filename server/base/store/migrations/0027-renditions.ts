export const sql = `
-- A picture of the library as a network takes it. The same picture, target, mode and recipe is made once; a refused one
-- has no file.
create table renditions (
  id text primary key,
  media_id text not null references media on delete cascade,
  mode text not null,
  target text not null,
  recipe int not null,
  refused text,
  mime_type text,
  bytes int,
  width int,
  height int,
  sha256 text,
  -- Its file is gone and cannot be made again: it is never chosen anew.
  lost boolean not null default false,
  created_at timestamptz not null default posthorn_now()
);
create unique index renditions_made_once on renditions (media_id, mode, target, recipe) where not lost;

-- What goes to an account in the place of a file of the post: written when a person is asked or decides, and sent so.
create table post_renditions (
  post_id text not null references posts on delete cascade,
  account_id text not null references accounts on delete cascade,
  media_id text not null references media on delete cascade,
  rendition_id text not null references renditions,
  primary key (post_id, account_id, media_id)
);
create index post_renditions_rendition on post_renditions (rendition_id);
create index post_renditions_media on post_renditions (media_id);
`;
