export const sql = `
-- What the answer is for. Challenges from before have none and are refused: they are good for five minutes at most.
alter table passkey_challenges add column purpose text;
`;
