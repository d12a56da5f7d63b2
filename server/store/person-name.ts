/** What people are called: by the name they gave, else by the first part of their address. As `nameOf` of people has it. */
export const personName = (users: string) => `coalesce(nullif(${users}.name, ''), split_part(${users}.email, '@', 1))`;
