export const sql = `
alter table deliveries
  -- One {at, answer, tookMs} for each try since it was last queued.
  add column tries jsonb not null default '[]',
  -- As they went out with the last try. Text, so that their order stays.
  add column sent_headers json;

-- Retries apart from first tries: however many of one kind wait, the other is found in one step.
drop index deliveries_due;
create index deliveries_due on deliveries (webhook_id, (attempts > 0), due_at) where due_at is not null;
`;
