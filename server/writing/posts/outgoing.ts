import { createHash } from 'node:crypto';
import type { Post, LinkCard as ShownLinkCard, Version } from '#contracts/posts';
import { isMediaId } from '#server/base/ids';
import type { LinkCard, Network, NetworkMedia, NetworkPost, Problem } from '#server/networks/network';
import { versionFor } from './versions.ts';

/** A post as it is sent to one account. */
export interface Outgoing<Media extends NetworkMedia> {
  /** The index of its version. */
  readonly version: number;
  readonly post: NetworkPost<Media>;
  /** Files that no longer exist. */
  readonly missing: Problem[];
}

/** What is sent to an account. The limit check, the pin of an approval and publishing all use this, so that they agree. */
export const outgoingTo = <Media extends NetworkMedia>(
  network: Network,
  versions: readonly Version[],
  accountId: string,
  media: ReadonlyMap<string, Media>,
  kept: readonly StoredLinkCard[] = [],
): Outgoing<Media> => {
  const version = versionFor(versions, accountId);
  const missing: Problem[] = [];
  const fileOf = (id: string, path: string): Media[] => {
    const file = media.get(id);
    if (file) return [file];
    const message = 'This file is no longer in the media library. Choose another.';
    missing.push({ path, code: 'MediaGone', message, actual: id });
    return [];
  };
  const items = version.content.map(({ body, media: ids }, i) => ({
    body,
    media: ids.flatMap((id, j) => fileOf(id, `content.${i}.media.${j}`)),
  }));
  const { defaults, mediaKeys } = optionTableOf(network);
  const options: Record<string, string> = { ...defaults, ...ownOptions(network, version.options) };
  const files = mediaKeys.flatMap((key) =>
    isMediaId(options[key] ?? '')
      ? fileOf(options[key] ?? '', `options.${key}`).map((file) => [key, file] as const)
      : [],
  );
  const post = { items, options, ...(files.length > 0 && { optionFiles: Object.fromEntries(files) }) };
  const linkCards = linkCardsOf(network, post, kept);
  return { version: version.index, post: { ...post, ...(linkCards.length > 0 && { linkCards }) }, missing };
};

/** A link card of a post, and the network that shows it. */
export interface StoredLinkCard extends LinkCard {
  readonly network: string;
}

/** As pages show them. */
export const toLinkCards = (kept: readonly StoredLinkCard[]): ShownLinkCard[] =>
  kept.map(({ picture, ...card }) => ({ ...card, ...(picture && { pictureUrl: `/link-cards/${picture}` }) }));

const linkCardsOf = ({ key, linkCards }: Network, post: NetworkPost, kept: readonly StoredLinkCard[]): LinkCard[] => {
  const own = kept.filter(({ network }) => network === key);
  if (own.length === 0 || linkCards === undefined) return [];
  const shown = linkCards.of(post);
  return own.filter(({ uri }) => shown.includes(uri)).map(({ network: _, ...card }) => card);
};

/** The files that `outgoingTo` needs. The value of an option can also be the id of a file. */
export const mediaIn = (versions: readonly Version[]) => [
  ...new Set(
    versions.flatMap(({ content, options }) => [
      ...content.flatMap(({ media }) => media),
      ...Object.values(options).filter(isMediaId),
    ]),
  ),
];

/** The versions with only the files that `isKept` accepts. */
export const keepMedia = (versions: readonly Version[], isKept: (id: string) => boolean): Version[] =>
  versions.map((version) => ({
    ...version,
    content: version.content.map((item) => ({ ...item, media: item.media.filter(isKept) })),
    options: Object.fromEntries(
      Object.entries(version.options).filter(([, value]) => !isMediaId(value) || isKept(value)),
    ),
  }));

/** A hash of the post and of what each account would get, and when. Equal pins mean that nothing changed. */
export const pinOf = (
  post: Post,
  networkOf: (accountId: string) => Network | undefined,
  media: ReadonlyMap<string, NetworkMedia>,
  kept: readonly StoredLinkCard[],
  /** The media for an account, with fitted files instead of the originals. */
  mediaFor: (accountId: string) => ReadonlyMap<string, NetworkMedia> = () => media,
): Buffer => {
  const { status, versions, accountIds, scheduledAt = null } = post;
  const files = mediaIn(versions).map((id) => media.get(id) ?? id);
  const pin = createHash('sha256').update(JSON.stringify([status, scheduledAt, versions, files]));
  const hashed = new Set<string>();
  for (const id of accountIds) {
    const network = networkOf(id);
    const outgoing = network && outgoingTo(network, versions, id, mediaFor(id), kept);
    const shared = [network?.key, outgoing?.version, ...fittedIn(outgoing?.post)].join(' ');
    pin.update(JSON.stringify([id, shared]));
    // Accounts of one network that share a version get the same, so a long text is hashed once.
    if (!hashed.has(shared)) pin.update(JSON.stringify(outgoing?.post ?? null));
    hashed.add(shared);
  }
  return pin.digest();
};

const fittedIn = (post: NetworkPost | undefined) =>
  post?.items.flatMap(({ media }) => media.flatMap(({ id, fitted }) => (fitted ? [id] : []))) ?? [];

interface OptionTable {
  readonly defaults: Readonly<Record<string, string>>;
  readonly mediaKeys: readonly string[];
}

const optionTables = new WeakMap<Network, OptionTable>();

/** Cached, because a forecast needs it for thousands of posts. */
const optionTableOf = (network: Network): OptionTable => {
  const cachedTable = optionTables.get(network);
  if (cachedTable !== undefined) return cachedTable;
  const { options } = network;
  const table = {
    defaults: Object.fromEntries(
      options.flatMap(({ key, default: value }) => (value === undefined ? [] : [[key, value]])),
    ),
    mediaKeys: options.filter(({ type }) => type === 'Media').map(({ key }) => key),
  };
  optionTables.set(network, table);
  return table;
};

/** In the order of the network's options, which the pin of an approval depends on. */
const ownOptions = ({ options }: Network, set: Readonly<Record<string, string>>) => {
  const own: Record<string, string> = {};
  if (Object.keys(set).length === 0) return own;
  for (const { key } of options) {
    const value = set[key];
    if (value !== undefined) own[key] = value;
  }
  return own;
};
