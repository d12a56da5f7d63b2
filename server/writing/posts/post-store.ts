import type { SelectedPost } from '#contracts/bulk';
import type { ForecastEntry, Post, PostLine, PostStatus, Result, Version } from '#contracts/posts';
import type { RightToPublish } from '#server/access/auth/right';
import type { PlanUse } from '#server/access/plans/plans';
import type { Caller } from '#server/base/context';
import { wakes } from '#server/base/jobs/due-work';
import { JsonText } from '#server/base/json/json-text';
import { notifyTabs } from '#server/base/live/changes';
import { type Database, sql } from '#server/base/store/database';
import { keyColumns, type PostKey } from '#server/base/store/post-key';
import type { ReadLinkCard } from '#server/networks/network';
import { usesOf } from './media-use.ts';
import type { StoredLinkCard } from './outgoing.ts';
import { type PostRow, postColumns, postJsonOf, type RemovedPost, toPost } from './post-row.ts';
import {
  counts,
  literal,
  type MatchRow,
  type PostFilter,
  type PostMatch,
  type PostSearch,
  search,
  select,
  toMatch,
} from './search.ts';

export const reads = ['accounts', 'forecasts', 'labels', 'post_labels', 'publications', 'published_posts'];

interface PageRow {
  /** The posts as JSON. */
  readonly posts: string;
  readonly last: string | null;
  readonly more: boolean;
}

/** Part of every update that a caller can see, so that updatedAt always grows. */
const touch = `updated_at = greatest(posthorn_now(), posts.updated_at + interval '1 microsecond')`;

const postJson = postJsonOf('p');
const labelsOfPost = `from post_labels on_post join labels l on l.workspace_id = on_post.workspace_id and l.id = on_post.label_id
  where on_post.workspace_id = p.workspace_id and on_post.post_id = p.id`;
/** Checks the status, because forecasts of posts that are no longer scheduled may still be stored. */
const forecastOf = (post: string) =>
  `case when ${post}.status = 'Scheduled' then (select f.entries from forecasts f
     where f.workspace_id = ${post}.workspace_id and f.post_id = ${post}.id and f.entries <> '[]') end`;
const listedJson = postJsonOf(
  'p',
  `',"forecast":' || (${forecastOf('p')})::text, ',"labels":' || (select json_agg(l.name order by l.name_key) ${labelsOfPost})`,
);
const get = sql('posts.get', `select ${postColumns} from posts where id = $1 and workspace_id = $2`);
const show = sql(
  'posts.show',
  `select ${listedJson} as post from posts p where id = $1 and workspace_id = $2`,
  'quick',
);
const lock = sql(
  'posts.lock',
  `select ${postColumns} from posts where id = $1 and workspace_id = $2 for update`,
  'locks',
);
// `between $1 and $1` forces the index on workspace and id: with `=` the planner may scan the posts of every workspace.
// A page ends where its posts reach `maxBytes`, but has at least one; the database does not send the others. One extra row
// is read, to know whether there is another page.
const page = (rows: string, maxBytes = '$4') =>
  `select concat('[', string_agg(post, ',' order by id desc), ']') as posts, min(id) as last,
          coalesce(max(place) < max(total), false) as more
     from (select id, post, row_number() over newest as place, count(*) over () as total,
                  sum(octet_length(post)) over newest - octet_length(post) as "bytesBefore"
             from (${rows}) as listed window newest as (order by id desc rows unbounded preceding)) as sized
    where "bytesBefore" < ${maxBytes} and place < $2`;
const list = sql(
  'posts.list',
  page(
    `select id, ${listedJson} as post from posts p where workspace_id between $1 and $1 and id < $3
      order by workspace_id desc, id desc limit $2`,
  ),
  'quick',
);
const listByStatus = sql(
  'posts.listByStatus',
  page(
    `select id, ${listedJson} as post from posts p where workspace_id between $1 and $1 and status between $5 and $5 and id < $3
      order by workspace_id, status, id desc limit $2`,
  ),
  'quick',
);
/**
 * Filters posts. The time of a post is when it was published, else when it is scheduled. `$4` to `$9` are status, text,
 * from, to, label and ids.
 */
const matching = `from posts p left join published_posts out on out.workspace_id = p.workspace_id and out.post_id = p.id
  where p.workspace_id between $1 and $1 and p.id < $3 and ($4::text is null or p.status = $4)
    and ($5 = '' or exists (select from jsonb_path_query(p.versions, '$[*].content[*].body') as body
          where body #>> '{}' ilike '%' || $5 || '%'))
    and ($6::timestamptz is null or coalesce(out.published_at, p.scheduled_at) >= $6)
    and ($7::timestamptz is null or coalesce(out.published_at, p.scheduled_at) < $7)
    and ($8 = '' or exists (select ${labelsOfPost} and lower(l.name) = lower($8)))
    and ($9::text[] is null or p.id = any($9))
  order by p.workspace_id desc, p.id desc limit $2`;
const listMatching = sql('posts.listMatching', page(`select p.id, ${listedJson} as post ${matching}`, '$10'));
const lines = sql(
  'posts.lines',
  `select p.id, p.status, left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text, p.scheduled_at, out.published_at,
          array(select l.name ${labelsOfPost} order by l.name_key) as labels,
          ${forecastOf('p')} as forecast,
          array(select distinct network from accounts where id = any(p.account_ids) order by network) as networks ${matching}`,
);
const pastLastId = 'q'; // ids begin with post_
const insert = sql(
  'posts.insert',
  `insert into posts as p (id, workspace_id, status, account_ids, versions, scheduled_at, created_by, created_client)
   values ($1, $2, 'Draft', $3, $4, $5, $6, $7) returning ${postJson} as post, ${notifyTabs('post')}`,
  'quick',
);
const replace = sql(
  'posts.replace',
  `update posts set account_ids = $3, versions = $4, scheduled_at = $5, ${touch} where id = $1 and workspace_id = $2
   returning ${postColumns}, ${notifyTabs('post')}`,
);
const move = sql(
  'posts.move',
  `update posts set status = $3, scheduled_at = $4, ${touch} where id = $1 and workspace_id = $2
   returning ${postColumns}, ${notifyTabs('post')}`,
);
const counted = sql('posts.counted', 'select counted from posts where id = $1 and workspace_id = $2');
const setCounted = sql(
  'posts.setCounted',
  'update posts set counted = $3 where id = $1 and workspace_id = $2',
  'joins',
);
const postKeys = 'unnest($1::text[], $2::text[]) as given (workspace_id, post_id)';
/**
 * If an account that already has the post was removed and added again, restores its result, so that nothing is sent
 * twice.
 */
const restoreResults = sql(
  'posts.restoreResults',
  `update posts set results = posts.results || back.results, ${touch}
     from (select p.workspace_id, p.id, jsonb_agg(send.result) as results
             from unnest($1::text[], $2::text[], $3::jsonb[]) as send (workspace_id, post_id, result)
             join posts p on p.workspace_id = send.workspace_id and p.id = send.post_id
              and send.result ->> 'accountId' = any(p.account_ids)
            where not exists (select from jsonb_array_elements(p.results) r where r ->> 'accountId' = send.result ->> 'accountId')
            group by p.workspace_id, p.id) back
    where posts.workspace_id = back.workspace_id and posts.id = back.id`,
  'joins',
);
/** From Draft, Scheduled or Failed. Only successful results are kept. */
const begin = sql(
  'posts.begin',
  `update posts set status = 'Publishing', ${touch},
          results = coalesce((select jsonb_agg(r) from jsonb_array_elements(results) r where (r ->> 'ok')::boolean), '[]')
     from ${postKeys} where posts.workspace_id = given.workspace_id and posts.id = given.post_id
   returning ${notifyTabs('post', { id: 'posts.id', workspaceId: 'posts.workspace_id' })}`,
  'joins',
);
const many = sql('posts.many', `select ${postColumns} from posts where id = any($1) and workspace_id = $2`);
/** Another draft with the same content for the same accounts, among the newest posts. */
const findDuplicate = sql(
  'posts.findDuplicate',
  `select newest.id from posts p
     join (select workspace_id, id, status, account_ids, versions from posts where workspace_id between $1 and $1
            order by workspace_id desc, id desc limit $3) newest
       on newest.workspace_id = p.workspace_id and newest.id <> p.id and newest.status = 'Draft'
      and newest.account_ids = p.account_ids and newest.versions = p.versions
    where p.workspace_id = $1 and p.id = $2 order by newest.id desc limit 1`,
);
const hold = sql(
  'posts.hold',
  'select id from posts where workspace_id = $1 and id = any($2) order by id for key share',
  'locks',
);
const scheduledFor = sql(
  'posts.scheduledFor',
  `select id, left(versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text, scheduled_at as "scheduledAt" from posts
    where workspace_id = $1 and status = 'Scheduled' and $2 = any(account_ids) order by scheduled_at limit $3`,
);
/** Pairs of a post of $2 and another one that goes out in the same minute to one of its accounts. */
const sameMinute = sql(
  'posts.sameMinute',
  `select p.id as "postId", o.id, left(o.versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text
     from posts p join posts o on o.workspace_id = p.workspace_id and o.status = 'Scheduled' and o.id <> p.id
      and o.account_ids && p.account_ids and o.scheduled_at >= date_trunc('minute', p.scheduled_at)
      and o.scheduled_at < date_trunc('minute', p.scheduled_at) + interval '1 minute'
    where p.workspace_id = $1 and p.id = any($2) and p.status = 'Scheduled' order by o.id limit $3`,
);
/** Reads only the newest posts, so that a long list of drafts takes a bounded time. */
const lastAccounts = sql(
  'posts.lastAccounts',
  `select account_ids as "accountIds"
     from (select id, status, account_ids, created_by from posts where workspace_id between $1 and $1
            order by workspace_id desc, id desc limit 500) newest
    where status <> 'Draft' and cardinality(account_ids) > 0 order by created_by = $2 desc, id desc limit 1`,
);
/** The first writer wins. Read back by network and uri, so that the order does not depend on the writer. */
const keepLinkCards = sql(
  'posts.keepLinkCards',
  `insert into link_cards (workspace_id, post_id, network, uri, title, description, picture, picture_bytes)
   select $1, $2, network, uri, title, description, picture, decode("pictureBytes", 'base64')
     from jsonb_to_recordset($3) as card(network text, uri text, title text, description text, picture text,
                                         "pictureBytes" text)
    where exists (select from posts where workspace_id = $1 and id = $2)
   on conflict do nothing`,
);
const linkCards = sql(
  'posts.linkCards',
  `select post_id as "postId", json_agg(json_strip_nulls(json_build_object('network', network, 'uri', uri, 'title', title,
          'description', description, 'picture', picture)) order by network, uri) as cards
     from link_cards where workspace_id = $1 and post_id = any($2) group by post_id`,
);
const linkCardPicture = sql(
  'posts.linkCardPicture',
  'select picture_bytes as bytes from link_cards where picture = $1 limit 1',
);
/** `no key update`, because transactions that add a publication hold a key lock, which must not block this one. */
const lockToEnd = sql(
  'posts.lockToEnd',
  `select from ${postKeys} join posts p on p.workspace_id = given.workspace_id and p.id = given.post_id
    order by p.id for no key update of p`,
  'locks',
);
/**
 * Published when all accounts have it, else Failed. `offset 0` makes the planner find posts by key, even when it expects
 * few posts to be Publishing.
 */
const end = sql(
  'posts.end',
  `with ended as (
     select p.workspace_id, p.id, jsonb_agg(coalesce(given.results -> account.id, kept.result) order by account.place) as results,
            bool_and((coalesce(given.results -> account.id, kept.result) ->> 'ok')::boolean) as ok
       from unnest($1::text[], $2::text[], $3::jsonb[]) as given (workspace_id, post_id, results) cross join lateral (
         select * from posts p where p.workspace_id = given.workspace_id and p.id = given.post_id offset 0) p
       cross join unnest(p.account_ids) with ordinality as account(id, place)
       left join lateral (select r as result from jsonb_array_elements(p.results) r where r ->> 'accountId' = account.id) kept on true
      where p.status = 'Publishing'
      group by p.workspace_id, p.id)
   update posts set status = case when ended.ok then 'Published' else 'Failed' end, results = ended.results, ${touch}
     from ended where posts.workspace_id = ended.workspace_id and posts.id = ended.id
   returning posts.workspace_id as "workspaceId", ${postJsonOf('posts')} as post`,
  'joins',
);
/** Skips posts that are Publishing, which get their results when they end. */
const settle = sql(
  'posts.settle',
  `with given as (
     select workspace_id, post_id, jsonb_object_agg(result ->> 'accountId', result) as results
       from unnest($1::text[], $2::text[], $3::jsonb[]) as given (workspace_id, post_id, result) group by workspace_id, post_id),
   settled as (
     select p.workspace_id, p.id, p.status as before, results.of_all,
            results.ok_ids @> p.account_ids and cardinality(p.account_ids) > 0 as is_out
       from given join posts p on p.workspace_id = given.workspace_id and p.id = given.post_id
      cross join lateral (
        select jsonb_agg(r order by place) as of_all,
               coalesce(array_agg(r ->> 'accountId') filter (where (r ->> 'ok')::boolean), '{}') as ok_ids
          from (select coalesce(given.results -> (before ->> 'accountId'), before) as r, place
                  from jsonb_array_elements(p.results) with ordinality as one (before, place)) result) results
      where p.status <> 'Publishing' and results.of_all is not null)
   update posts set results = settled.of_all, ${touch},
          status = case when settled.is_out and posts.status = 'Failed' then 'Published' else posts.status end
     from settled where posts.workspace_id = settled.workspace_id and posts.id = settled.id
   returning posts.workspace_id as "workspaceId", ${postJsonOf('posts')} as post,
             posts.status <> settled.before as "isPublished"`,
  'joins',
);
const setResults = sql(
  'posts.setResults',
  `update posts set results = $3, status = $4, ${touch} where id = $1 and workspace_id = $2 returning ${postColumns}`,
);

/** Accounts on which a post failed because a permission is missing, and when it first happened since they were connected. */
const refusedPermissions = sql(
  'posts.refusedPermissions',
  `select a.id, min(p.updated_at) as at from posts p join accounts a on a.workspace_id = p.workspace_id and a.id = any(p.account_ids)
    where p.workspace_id = $1 and p.status = 'Failed' and a.id = any($2) and p.updated_at >= a.connected_at
      and p.results @> jsonb_build_array(jsonb_build_object('accountId', a.id, 'error', jsonb_build_object('code', 'permission')))
    group by a.id`,
);
const countScheduledDays = sql(
  'posts.countScheduledDays',
  `with planned as (
     select to_char(scheduled_at at time zone $2, 'YYYY-MM-DD') as date, count(*)::int as planned from posts
      where workspace_id = $1 and status = 'Scheduled' and scheduled_at < $3 group by 1),
   blocked as (
     select to_char(p.scheduled_at at time zone $2, 'YYYY-MM-DD') as date, count(*)::int as blocked
       from forecasts f join posts p on p.workspace_id = f.workspace_id and p.id = f.post_id
      where f.workspace_id = $1 and f.is_blocked and f.entries <> '[]' and p.status = 'Scheduled' and p.scheduled_at < $3
      group by 1)
   select date, planned, coalesce(blocked, 0) as blocked from planned left join blocked using (date) order by date`,
);
const firstForeseen = (isBlocked: boolean) =>
  `(select p.id from forecasts f join posts p on p.workspace_id = f.workspace_id and p.id = f.post_id
     where f.workspace_id = $1 and f.is_blocked = ${isBlocked} and f.entries <> '[]' and f.scheduled_at >= $2
       and f.scheduled_at < $3 and p.status = 'Scheduled' order by f.scheduled_at, f.post_id limit $4)`;
/** Blocked posts first. `$2` and `$3` bound the scheduled time. Two reads, because each is one stretch of an index. */
const foreseen = sql('posts.foreseen', `${firstForeseen(true)} union all ${firstForeseen(false)} limit $4`);
/** Those of the accounts that have a scheduled post before `$3`. */
const accountsInUse = sql(
  'posts.accountsInUse',
  `select account_id as id from unnest($2::text[]) as account_id
    where exists (select from posts where workspace_id = $1 and status = 'Scheduled' and scheduled_at < $3
                    and account_id = any(account_ids))`,
);

const scheduledByAccount = sql(
  'posts.scheduledByAccount',
  `select account_id as id, count(*)::int as scheduled from posts p, unnest(p.account_ids) as account_id
    where p.workspace_id = $1 and p.status = 'Scheduled' group by account_id`,
);

interface ListFilter {
  readonly status?: PostStatus | undefined;
  /** Empty for all. */
  readonly query: string;
  readonly from: string | null;
  readonly to: string | null;
  /** Empty for all. */
  readonly label: string;
  /** Null for all. */
  readonly ids: readonly string[] | null;
}

interface LineRow extends Pick<PostRow, 'id' | 'status' | 'scheduled_at'> {
  readonly text: string | null;
  readonly published_at: string | null;
  readonly labels: string[];
  readonly forecast: ForecastEntry[] | null;
  readonly networks: string[];
}

const wake = sql('posts.wake', `select ${wakes('posts')}`);
const usesMedia = sql(
  'posts.usesMedia',
  `select 1 from posts where workspace_id = $1 and ${usesOf('$2::text', '$3')} limit 1`,
);
const isMediaScheduled = sql(
  'posts.isMediaScheduled',
  `select 1 from posts where workspace_id = $1 and status in ('Scheduled', 'Publishing') and ${usesOf('$2::text', '$3')} limit 1`,
);
const mediaUses = sql(
  'posts.mediaUses',
  `select media.id, uses.count from unnest($2::text[]) as media (id) cross join lateral (
     select count(*)::int as count from posts where workspace_id = $1 and ${usesOf('media.id', '$3')}) as uses`,
);
const remove = sql(
  'posts.remove',
  `delete from posts where id = $1 and workspace_id = $2
   returning ${postColumns}, created_by as "createdBy", created_client as "createdClient", ${notifyTabs('post')}`,
);
/** `updated_at` becomes later than before the deletion, so that a caller with the old updatedAt gets a Conflict. */
const putBack = sql(
  'posts.putBack',
  `insert into posts as p (id, workspace_id, status, account_ids, versions, scheduled_at, results, created_by, created_client,
                           updated_at)
   values ($1, $2, 'Draft', $3, $4, $5, $6, $7, $8, greatest(posthorn_now(), $9::timestamptz + interval '1 microsecond'))
   returning ${postColumns}, ${notifyTabs('post')}`,
);

/** What posts.create and posts.update write. */
export interface PostContent {
  readonly accountIds: readonly string[];
  readonly versions: readonly Version[];
  readonly scheduledAt: string | null;
}

/** A post whose last send has ended. */
export interface EndedPost extends PostKey {
  /** JSON: the results of its sends by account id. */
  readonly results: string;
}

export type PostStore = ReturnType<typeof createPostStore>;

export const createPostStore = (db: Database) => {
  const one = async (...query: Parameters<typeof db.query>) => {
    const [row] = await db.query<PostRow>(...query);
    return row && toPost(row);
  };
  const shown = async (...query: Parameters<typeof db.query>) => {
    const [row] = await db.query<{ post: string }>(...query);
    return row && new JsonText<Post>(row.post);
  };
  const changed = async (...query: Parameters<typeof db.query>) => {
    const post = await one(...query);
    if (post === undefined) throw new Error('A locked post disappeared.');
    return post;
  };

  return {
    transaction: db.transaction,

    get: (workspaceId: string, id: string) => one(get, [id, workspaceId]),

    /** Locks the post until the transaction ends. */
    lock: (workspaceId: string, id: string) => one(lock, [id, workspaceId]),

    /** As JSON, for answers. */
    show: (workspaceId: string, id: string) => shown(show, [id, workspaceId]),

    /** Returns fewer than `limit` posts when they reach `maxBytes`; `more` says whether others follow the `last`. */
    list: async (
      workspaceId: string,
      { limit, maxBytes }: { limit: number; maxBytes: number },
      before: string | null,
      filter: ListFilter,
    ) => {
      const { status, query, from, to, label, ids } = filter;
      const values = [workspaceId, limit + 1, before ?? pastLastId, maxBytes];
      const [row] = await (query !== '' || from !== null || to !== null || label !== '' || ids !== null
        ? db.queryReplica<PageRow>(listMatching, [...values.slice(0, 3), ...filterValues(filter), maxBytes])
        : status === undefined
          ? db.queryReplica<PageRow>(list, values)
          : db.queryReplica<PageRow>(listByStatus, [...values, status]));
      return row as PageRow;
    },

    /** Up to `limit + 1` rows; the extra one means that there is another page. */
    lines: async (
      workspaceId: string,
      limit: number,
      before: string | null,
      filter: ListFilter,
    ): Promise<PostLine[]> => {
      const values = [workspaceId, limit + 1, before ?? pastLastId, ...filterValues(filter)];
      return (await db.query<LineRow>(lines, values)).map(toLine);
    },

    usesMedia: async (workspaceId: string, mediaId: string, optionKeys: readonly string[]) => {
      const rows = await db.query(usesMedia, [workspaceId, mediaId, optionKeys]);
      return rows.length > 0;
    },

    isMediaScheduled: async (workspaceId: string, mediaId: string, optionKeys: readonly string[]) =>
      (await db.query(isMediaScheduled, [workspaceId, mediaId, optionKeys])).length > 0,

    /** How many posts use each file. */
    mediaUses: async (workspaceId: string, mediaIds: readonly string[], optionKeys: readonly string[]) => {
      const values = [workspaceId, mediaIds, optionKeys];
      const rows = await db.query<{ id: string; count: number }>(mediaUses, values);
      return new Map(rows.map(({ id, count }) => [id, count]));
    },

    insert: async (
      id: string,
      { workspaceId, userId, client = { kind: 'App' } }: Caller,
      { accountIds, versions, scheduledAt }: PostContent,
    ) => {
      const author = [userId, JSON.stringify(client)];
      const values = [id, workspaceId, accountIds, JSON.stringify(versions), scheduledAt, ...author];
      return (await shown(insert, values)) as JsonText<Post>;
    },

    replace: (id: string, workspaceId: string, { accountIds, versions, scheduledAt }: PostContent) =>
      changed(replace, [id, workspaceId, accountIds, JSON.stringify(versions), scheduledAt]),

    move: (id: string, by: RightToPublish, status: PostStatus, scheduledAt: string | null) =>
      changed(move, [id, by.workspaceId, status, scheduledAt]),

    /** What the post used of the plan when it was scheduled. */
    counted: async (id: string, workspaceId: string): Promise<PlanUse | undefined> =>
      (await db.query<{ counted: PlanUse | null }>(counted, [id, workspaceId]))[0]?.counted ?? undefined,

    setCounted: (id: string, by: RightToPublish, planUse: PlanUse) =>
      db.run(setCounted, [id, by.workspaceId, JSON.stringify(planUse)]),

    many: async (workspaceId: string, ids: readonly string[]) =>
      (await db.query<PostRow>(many, [ids, workspaceId])).map(toPost),

    findDuplicate: async (workspaceId: string, id: string, among: number) =>
      (await db.query<{ id: string }>(findDuplicate, [workspaceId, id, among]))[0]?.id,

    hold: async (workspaceId: string, ids: readonly string[]) =>
      new Set((await db.query<{ id: string }>(hold, [workspaceId, ids])).map(({ id }) => id)),

    lastAccounts: async ({ workspaceId, userId }: Caller): Promise<readonly string[]> => {
      const [last] = await db.query<{ accountIds: string[] }>(lastAccounts, [workspaceId, userId]);
      return last?.accountIds ?? [];
    },
    scheduledFor: (workspaceId: string, accountId: string, limit: number) =>
      db.query<{ id: string; text: string; scheduledAt: string }>(scheduledFor, [workspaceId, accountId, limit]),

    sameMinute: (workspaceId: string, ids: readonly string[], limit: number) =>
      db.query<{ postId: string; id: string; text: string }>(sameMinute, [workspaceId, ids, limit]),

    keepLinkCards: async (workspaceId: string, postId: string, cards: readonly (StoredLinkCard & ReadLinkCard)[]) => {
      const rows = cards.map((card) => ({ ...card, pictureBytes: card.pictureBytes?.toString('base64') }));
      if (cards.length > 0) await db.run(keepLinkCards, [workspaceId, postId, JSON.stringify(rows)]);
    },

    linkCardPicture: async (picture: string): Promise<Buffer | undefined> => {
      const [row] = await db.query<{ bytes: Buffer }>(linkCardPicture, [picture]);
      return row?.bytes;
    },

    linkCards: async (
      workspaceId: string,
      postIds: readonly string[],
    ): Promise<ReadonlyMap<string, StoredLinkCard[]>> => {
      const rows = await db.query<{ postId: string; cards: StoredLinkCard[] }>(linkCards, [workspaceId, postIds]);
      return new Map(rows.map(({ postId, cards }) => [postId, cards]));
    },

    restoreResults: async (sends: readonly (PostKey & { readonly result: Result })[]) => {
      await db.run(restoreResults, resultColumns(sends));
    },

    begin: async (keys: readonly PostKey[]) => {
      await db.query(begin, keyColumns(keys));
    },

    lockToEnd: async (keys: readonly PostKey[]) => {
      await db.run(lockToEnd, keyColumns(keys));
    },

    /** Posts in Publishing become Published or Failed. */
    end: async (posts: readonly EndedPost[]) => {
      const values = [...keyColumns(posts), posts.map(({ results }) => results)];
      const rows = await db.query<{ workspaceId: string; post: string }>(end, values);
      return rows.map(({ workspaceId, post }) => ({ workspaceId, post: new JsonText<Post>(post) }));
    },

    settle: async (sends: readonly (PostKey & { readonly result: Result })[]) => {
      const rows = await db.query<{ workspaceId: string; post: string; isPublished: boolean }>(
        settle,
        resultColumns(sends),
      );
      return rows.map(({ post, ...row }) => ({ ...row, post: new JsonText<Post>(post) }));
    },

    setResults: (id: string, workspaceId: string, results: readonly Result[], status: PostStatus) =>
      changed(setResults, [id, workspaceId, JSON.stringify(results), status]),

    search: async (
      workspaceId: string,
      { group, status, query, accountIds, labelIds, ids, from, to }: PostSearch,
      limit: number,
      after: { at: string; id: string } | undefined,
    ): Promise<PostMatch[]> => {
      const values = [workspaceId, literal(query), accountIds, status ?? null, from, to];
      const place = [after?.at ?? null, after?.id ?? null, limit];
      return (await db.queryReplica<MatchRow>(search[group], [...values, ...place, ids, labelIds])).map(toMatch);
    },

    counts: async (workspaceId: string, { query, accountIds, labelIds }: PostFilter) =>
      db.queryReplica<{ status: PostStatus; count: number }>(counts, [
        workspaceId,
        literal(query),
        accountIds,
        labelIds,
      ]),

    select: async (
      workspaceId: string,
      status: PostStatus | undefined,
      { query, accountIds, labelIds }: PostFilter,
      limit: number,
    ) => {
      const values = [workspaceId, literal(query), accountIds, labelIds, status ?? null, limit];
      const rows = await db.query<Omit<SelectedPost, 'scheduledAt'> & { scheduledAt: string | null }>(select, values);
      return rows.map(
        ({ scheduledAt, text, ...row }): SelectedPost => ({
          ...row,
          text: text ?? '',
          ...(scheduledAt !== null && { scheduledAt }),
        }),
      );
    },

    scheduledByAccount: (workspaceId: string) =>
      db.query<{ id: string; scheduled: number }>(scheduledByAccount, [workspaceId]),

    refusedPermissions: async (workspaceId: string, accountIds: readonly string[]) =>
      new Map(
        (await db.query<{ id: string; at: string }>(refusedPermissions, [workspaceId, accountIds])).map((row) => [
          row.id,
          row.at,
        ]),
      ),

    countScheduledDays: (workspaceId: string, timeZone: string, to: string) =>
      db.query<{ date: string; planned: number; blocked: number }>(countScheduledDays, [workspaceId, timeZone, to]),

    foreseen: async (workspaceId: string, from: string, to: string, limit: number) =>
      (await db.query<{ id: string }>(foreseen, [workspaceId, from, to, limit])).map(({ id }) => id),

    accountsInUse: async (workspaceId: string, accountIds: readonly string[], before: string) =>
      (await db.query<{ id: string }>(accountsInUse, [workspaceId, accountIds, before])).map(({ id }) => id),

    /** Wakes the loop, because a post may be due earlier than it expects. */
    wake: async () => {
      await db.query(wake);
    },

    remove: async (id: string, workspaceId: string): Promise<RemovedPost> => {
      const [row] = await db.query<RemovedPost>(remove, [id, workspaceId]);
      if (row === undefined) throw new Error('A locked post disappeared.');
      return row;
    },

    /** A deleted post becomes a Draft with its old id. */
    putBack: (workspaceId: string, post: RemovedPost) =>
      changed(putBack, [
        post.id,
        workspaceId,
        post.account_ids,
        JSON.stringify(post.versions),
        post.scheduled_at,
        JSON.stringify(post.results),
        post.createdBy,
        post.createdClient === null ? null : JSON.stringify(post.createdClient),
        post.updated_at,
      ]),
  };
};

/** One entry per send, not per post as in `keyColumns`: a post has a result for each account. */
const resultColumns = (sends: readonly (PostKey & { readonly result: Result })[]) => [
  sends.map(({ workspaceId }) => workspaceId),
  sends.map(({ postId }) => postId),
  sends.map(({ result }) => JSON.stringify(result)),
];

const filterValues = ({ status, query, from, to, label, ids }: ListFilter) => [
  status ?? null,
  literal(query),
  from,
  to,
  label,
  ids,
];

const toLine = ({ id, status, text, scheduled_at, published_at, labels, forecast, networks }: LineRow): PostLine => ({
  id,
  status,
  text: text ?? '',
  ...(scheduled_at !== null && { scheduledAt: scheduled_at }),
  ...(published_at !== null && { publishedAt: published_at }),
  ...(labels.length > 0 && { labels }),
  ...(forecast !== null && { forecast }),
  networks,
});
