import type { ProfileChange, Theme } from '#contracts/people';
import type { Role } from '#contracts/scopes';
import { type Database, type RowOf, type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import { hasSecondFactor } from '#server/base/store/has-second-factor';

export const reads = ['passkeys'];

export type UserRow = RowOf<typeof userById>;

const user = `select id, email, password_hash, last_workspace_id, subject, name, time_zone, theme,
  shortcuts, is_operator from users`;
const firstUser = sql('users.first', `${user} order by id limit 1`).holds<{ theme: Theme }>();
const userById = sql('users.byId', `${user} where id = $1`).holds<{ theme: Theme }>();
const lockUser = sql('users.lock', `${user} where id = $1 for update`, 'locks').holds<{ theme: Theme }>();
const userByEmail = sql('users.byEmail', `${user} where lower(email) = $1`).holds<{ theme: Theme }>();
const userBySubject = sql('users.bySubject', `${user} where subject = $1`).holds<{ theme: Theme }>();
const operator = sql('users.operator', `${user} where is_operator order by id limit 1`).holds<{ theme: Theme }>();
const lockSignUp = sql('users.lockSignUp', 'select pg_advisory_xact_lock(727003)', 'locks');
const insertUser = sql(
  'users.insert',
  'insert into users (id, email, password_hash, subject, is_operator) values ($1, $2, $3, $4, $5)',
);
const setLastWorkspace = sql('users.setLastWorkspace', 'update users set last_workspace_id = $2 where id = $1');
const forgetLastWorkspace = sql(
  'users.forgetLastWorkspace',
  'update users set last_workspace_id = null where id = $1 and last_workspace_id = $2',
);
const linkUser = sql('users.link', 'update users set subject = $2, password_hash = null where id = $1');
const setPassword = sql(
  'users.setPassword',
  'update users set password_hash = $2, tokens_valid_after = $3 where id = $1',
);
const distrustTokens = sql('users.distrustTokens', 'update users set tokens_valid_after = $2 where id = $1');
const setProfile = sql(
  'users.setProfile',
  `update users set name = coalesce($2, name), time_zone = coalesce($3, time_zone), theme = coalesce($4, theme),
     shortcuts = coalesce($5, shortcuts) where id = $1`,
);

const hasFactor = sql('users.hasFactor', `select ${hasSecondFactor('$1')} as has`);
const hasPasskey = sql('users.hasPasskey', 'select exists (select from passkeys where user_id = $1) as has');

/** Nobody can register the domain, and no sign-in accepts the address without a password. */
const anonymize = sql(
  'users.anonymize',
  `update users set email = 'former-' || id || '@deleted.invalid', name = 'A former member', password_hash = null,
          subject = null, last_workspace_id = null, tokens_valid_after = $2 where id = $1`,
);

const everybody = sql(
  'users.everybody',
  `select u.id, u.email, u.name, u.is_operator as operator, u.password_hash is not null as has_password,
          coalesce((select json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role) order by w.id)
             from members m join workspaces w on w.id = m.workspace_id where m.user_id = u.id), '[]') as workspaces
     from users u where u.email not like '%@deleted.invalid' order by u.id`,
).holds<{ workspaces: readonly { readonly id: string; readonly name: string; readonly role: Role }[] }>();

export type UserStore = ReturnType<typeof createUserStore>;

export const createUserStore = (db: Database) => {
  const one = async <Values, Row>(statement: Statement<Values, Row>, ...values: ValuesArgument<Values>) =>
    (await db.query(statement, ...values))[0] ?? null;

  return {
    transaction: db.transaction,

    /** Serializes sign-ups: of two concurrent first owners, the second waits here and then finds a user. */
    lockSignUp: () => db.run(lockSignUp),

    anonymize: (id: string, at: Date) => db.run(anonymize, [id, at]),
    everybody: () => db.query(everybody),
    firstUser: () => one(firstUser),
    user: (id: string) => one(userById, [id]),
    lockUser: (id: string) => one(lockUser, [id]),
    userByEmail: (email: string) => one(userByEmail, [email.toLowerCase()]),
    userBySubject: (subject: string) => one(userBySubject, [subject]),
    operator: () => one(operator),
    insertUser: (row: {
      id: string;
      email: string;
      passwordHash?: string | null;
      subject?: string;
      isOperator: boolean;
    }) => db.run(insertUser, [row.id, row.email, row.passwordHash ?? null, row.subject ?? null, row.isOperator]),
    setLastWorkspace: (id: string, workspaceId: string) => db.run(setLastWorkspace, [id, workspaceId]),
    /** Returns whether this workspace was the last opened one. */
    forgetLastWorkspace: async (id: string, workspaceId: string) =>
      (await db.run(forgetLastWorkspace, [id, workspaceId])) > 0,
    /** Removes the password, because an outside provider signs this person in. */
    linkUser: (id: string, subject: string) => db.run(linkUser, [id, subject]),
    setPassword: (id: string, hash: string, tokensValidAfter: Date) =>
      db.run(setPassword, [id, hash, tokensValidAfter]),
    distrustTokens: (id: string, before: Date) => db.run(distrustTokens, [id, before]),
    setProfile: (id: string, { name, timeZone, theme, shortcuts }: ProfileChange) =>
      db.run(setProfile, [id, name ?? null, timeZone ?? null, theme ?? null, shortcuts ?? null]),
    hasFactor: async (userId: string) => (await one(hasFactor, [userId]))?.has === true,
    hasPasskey: async (userId: string) => (await one(hasPasskey, [userId]))?.has === true,
  };
};
