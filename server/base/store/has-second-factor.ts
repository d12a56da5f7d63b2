/** SQL: whether the workspace asks for two factors and this member has no second one. An outside provider brings its own. */
export const lacksFactor = (members: string, workspaces: string) =>
  `(${workspaces}.two_factors and not ${hasSecondFactor(`${members}.user_id`)}
    and not exists (select from users where id = ${members}.user_id and subject is not null))`;

/** SQL: whether the person has an authenticator app or a passkey. */
export const hasSecondFactor = (userId: string) =>
  `(exists (select from totp_factors where user_id = ${userId} and confirmed_at is not null)
    or exists (select from passkeys where user_id = ${userId}))`;
