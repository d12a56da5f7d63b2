import { type Database, sql } from '#server/base/store/database';
import type { ReadLinkCard } from '#server/networks/network';
import type { StoredLinkCard } from './outgoing.ts';

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
  `select post_id, json_agg(json_strip_nulls(json_build_object('network', network, 'uri', uri, 'title', title,
          'description', description, 'picture', picture)) order by network, uri) as cards
     from link_cards where workspace_id = $1 and post_id = any($2) group by post_id`,
).holds<{ cards: StoredLinkCard[] }>();
const linkCardPicture = sql(
  'posts.linkCardPicture',
  'select picture_bytes as bytes from link_cards where picture = $1 limit 1',
);

export type LinkCardStore = ReturnType<typeof createLinkCardStore>;

export const createLinkCardStore = (db: Database) => ({
  keepLinkCards: async (workspaceId: string, postId: string, cards: readonly (StoredLinkCard & ReadLinkCard)[]) => {
    const rows = cards.map((card) => ({ ...card, pictureBytes: card.pictureBytes?.toString('base64') }));
    if (cards.length > 0) await db.run(keepLinkCards, [workspaceId, postId, JSON.stringify(rows)]);
  },

  linkCardPicture: async (picture: string) => (await db.query(linkCardPicture, [picture]))[0]?.bytes ?? undefined,

  linkCards: async (workspaceId: string, postIds: readonly string[]): Promise<ReadonlyMap<string, StoredLinkCard[]>> =>
    new Map((await db.query(linkCards, [workspaceId, postIds])).map(({ postId, cards }) => [postId, cards])),
});
