export const sql = `
-- What a page said of itself when a person was asked, or decided: written once, and sent as it is here.
create table link_cards (
  post_id text not null references posts on delete cascade,
  network text not null,
  uri text not null,
  title text not null,
  description text not null,
  primary key (post_id, network, uri)
);
`;
