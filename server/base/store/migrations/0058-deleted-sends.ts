export const sql = `
-- The sends of the post, so that a restored one is not sent again to accounts that have it.
alter table deleted_posts add column sends jsonb not null default '[]';
`;
