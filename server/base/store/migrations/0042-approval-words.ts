export const sql = `
-- Why a person rejected the request, in their words.
alter table approval_cards add column reason text;
-- When people were last reminded of an open card.
alter table approval_cards add column reminded_at timestamptz;
`;
