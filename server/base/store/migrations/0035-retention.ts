export const sql = `
-- What is purged by age.
create index approval_cards_closed on approval_cards (decided_at) where status <> 'Open';
create index audit_log_age on audit_log using brin (created_at);
create index service_audit_log_age on service_audit_log using brin (created_at);
-- When it was last needed, give or take a day.
alter table network_apps add column used_at timestamptz not null default posthorn_now();
`;
