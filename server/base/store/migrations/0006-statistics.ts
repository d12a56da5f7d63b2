export const sql = `
alter table accounts
  -- The network refused to tell numbers; nothing is read until somebody reconnects. Not to do with status.
  add column statistics_stopped_at timestamptz;

alter table publications
  add column network text,
  -- When its numbers have to be read, or somebody else may read them. next_fetch_at is what callers see.
  add column due_at timestamptz,
  add column claim uuid,
  -- How often the next read was moved.
  add column moves int not null default 0,
  add column failed_at timestamptz,
  -- Its schedule is not over: it goes on when the account is reconnected.
  add column reads_stopped boolean not null default false;
update publications p set network = a.network, due_at = p.next_fetch_at from accounts a where a.id = p.account_id;
alter table publications alter column network set not null;
create index publications_due on publications (network, due_at) where due_at is not null;
create index publications_account on publications (account_id, due_at);

create function begin_reads() returns trigger language plpgsql as $$ begin
  new.network := (select network from accounts where id = new.account_id);
  new.due_at := new.next_fetch_at;
  return new;
end $$;
create trigger publications_begin before insert on publications for each row execute function begin_reads();

-- Every read that brought numbers.
create table metric_reads (
  post_id text not null,
  account_id text not null,
  fetched_at timestamptz not null,
  metrics jsonb not null,
  primary key (post_id, account_id, fetched_at),
  foreign key (post_id, account_id) references publications on delete cascade
);
`;
