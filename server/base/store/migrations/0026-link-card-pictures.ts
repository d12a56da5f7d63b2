export const sql = `
-- The picture of a page, made small, and the SHA-256 of these bytes, by which it is known.
alter table link_cards add column picture text, add column picture_bytes bytea;
create index link_cards_picture on link_cards (picture) where picture is not null;
`;
