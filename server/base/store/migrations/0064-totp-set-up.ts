export const sql = `
-- Whose session began to set an app up, and when: the set-up ends with that session, and soon.
alter table totp_factors add column begun_by text, add column begun_at timestamptz;
`;
