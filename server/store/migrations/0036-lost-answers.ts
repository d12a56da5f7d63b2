export const sql = `
alter table sends
  -- Since when the answer to the call that was begun is known to be lost. It takes the place of heard_at.
  add column lost_at timestamptz,
  -- A hash of all that the call sent: its key is never used again for anything else.
  add column begun_print text;
`;
