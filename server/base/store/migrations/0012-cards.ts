export const sql = `
-- The requests about a post or an account, newest first.
create index approval_cards_subject on approval_cards (workspace_id, (input ->> 'id'), id desc);
-- The list: what is open first.
create index approval_cards_listed on approval_cards (workspace_id, (status = 'Open') desc, id desc);
`;
