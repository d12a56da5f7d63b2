import { type Database, sql } from '#server/base/store/database';

const findAvatar = sql(
  'accounts.avatar',
  `select a.avatar_url as url, a.sandbox, v.image,
          v.source_url is distinct from a.avatar_url or v.image is null and v.fetched_at < posthorn_now() - interval '1 hour' as is_old
     from accounts a left join avatars v on v.account_id = a.id where a.id = $1 and a.disconnected_at is null`,
);
const saveAvatar = sql(
  'accounts.saveAvatar',
  `insert into avatars (account_id, source_url, image) values ($1, $2, $3)
   on conflict (account_id) do update
      set source_url = excluded.source_url, image = excluded.image, fetched_at = posthorn_now()`,
);

export type AvatarStore = ReturnType<typeof createAvatarStore>;

export const createAvatarStore = (db: Database) => ({
  find: async (accountId: string) => (await db.query(findAvatar, [accountId]))[0],
  save: async (accountId: string, url: string, image: Buffer | null) => {
    await db.run(saveAvatar, [accountId, url, image]);
  },
});
