export const sql = `
-- The library takes documents too; which kinds there are is said by the code that reads files.
alter table media drop constraint media_kind_check;
`;
