/** SQL for the name of a person: the one they chose, else the local part of their address. The same as `nameOf` of people. */
export const personName = (users: string) => `coalesce(nullif(${users}.name, ''), split_part(${users}.email, '@', 1))`;
