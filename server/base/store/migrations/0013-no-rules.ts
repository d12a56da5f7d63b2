export const sql = `
-- What decides stands in the slices. posthorn_now() stays: one notion of now, also for defaults.
drop trigger posts_touch on posts;
drop trigger publications_begin on publications;
drop trigger publications_added on publications;
drop trigger publications_changed on publications;
drop trigger publications_removed on publications;
drop function touch_updated_at();
drop function begin_reads();
drop function keep_published_posts();
drop function published_posts_of(text[]);
drop function begin_publishing(text[]);
drop function end_publishing(text[]);
drop function move_sandbox_clock(bigint);

-- Written with each read from now on. The numbers stay, and so does the index over them.
alter table publications
  alter column views drop expression,
  alter column reach drop expression,
  alter column likes drop expression,
  alter column comments drop expression,
  alter column shares drop expression,
  alter column quotes drop expression,
  alter column saves drop expression,
  alter column clicks drop expression,
  alter column engagement drop expression,
  alter column engagement set default 0,
  alter column engagement set not null;
drop function metric(jsonb, text);

-- What the sandbox clock showed at a true time: for how far it was ahead since then.
create table sandbox_clock_moves (at timestamptz not null, offset_ms bigint not null);
insert into sandbox_clock_moves (at, offset_ms) select '-infinity', offset_ms from sandbox_clock;
`;
