export const sql = `
-- A rendition may be a video now.
alter table renditions add column duration_ms int, add column video_codec text, add column audio_codec text,
  add column frame_rate real;

-- Videos that have to become something else: they take minutes, so they are due work, one at a time on an instance.
create table fit_jobs (
  workspace_id text not null,
  media_id text not null,
  mode text not null,
  target text not null,
  due_at timestamptz not null default posthorn_now(),
  claim text,
  attempts int not null default 0,
  percent int,
  created_at timestamptz not null default posthorn_now(),
  primary key (workspace_id, media_id, mode, target),
  foreign key (workspace_id, media_id) references media (workspace_id, id) on delete cascade
);
create index fit_jobs_due on fit_jobs (due_at);
`;
