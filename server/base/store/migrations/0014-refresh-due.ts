export const sql = `
alter table accounts rename column care_at to refresh_due_at;
alter table accounts rename column care_claim to refresh_claim;
alter index accounts_care rename to accounts_refresh_due;
`;
