export const sql = `
-- What came with a restored backup and was waiting to go out: the old service may have sent it. What people began after
-- the restore is not here, and goes out when the hold is released. Of a post that is scheduled: when it was due.
create table held_work (
  kind text not null check (kind in ('post', 'delivery', 'message')),
  id text not null,
  due_at timestamptz not null,
  primary key (kind, id)
);
-- A hold that an earlier build began.
insert into held_work (kind, id, due_at)
  select work.kind, work.id, work.due_at
    from (select 'post' as kind, id, case status when 'Scheduled' then scheduled_at else '-infinity' end as due_at
            from posts where status in ('Scheduled', 'Publishing')
          union all select 'delivery', id, '-infinity' from deliveries where due_at is not null
          union all select 'message', id, '-infinity' from messages where due_at is not null) as work
   where exists (select from outgoing_holds where released_at is null);
`;
