export const sql = `
-- A rejection that is taken back is an entry of the log too.
alter table receipts drop constraint receipts_kind_check,
  add constraint receipts_kind_check check (kind in ('Approved', 'Rejected', 'Reopened', 'Ended')) not valid;
`;
