import {
  siBluesky,
  siFacebook,
  siGoogle,
  siInstagram,
  siMastodon,
  siPinterest,
  siPixelfed,
  siThreads,
  siTiktok,
  siX,
  siYoutube,
} from 'simple-icons';

/** SVG path of each network's glyph, 24 by 24. A network without one is shown by its letters. */
export const glyphs: Readonly<Record<string, string>> = {
  bluesky: siBluesky.path,
  facebook: siFacebook.path,
  google_business: siGoogle.path,
  instagram: siInstagram.path,
  mastodon: siMastodon.path,
  pinterest: siPinterest.path,
  pixelfed: siPixelfed.path,
  threads: siThreads.path,
  tiktok: siTiktok.path,
  x: siX.path,
  youtube: siYoutube.path,
};
