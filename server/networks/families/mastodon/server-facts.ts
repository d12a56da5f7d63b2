import { z } from 'zod';
import type { Constraints, PollLimits } from '#contracts/providers';
import type { Json, Site, Tokens } from '#server/networks/network';
import { createFactsReader } from '#server/networks/shared/facts-reader';
import { hostOf, troubleOf } from './api.ts';

const whole = z.int().positive().optional().catch(undefined);
const text = z.string().optional().catch(undefined);
const texts = z.array(z.string()).nonempty().optional().catch(undefined);

/** What an account's `facts` store about its server. */
const ServerFacts = z.object({
  version: text,
  /** The host in the addresses of posts. */
  host: text,
  maxCharacters: whole,
  charactersPerUrl: whole,
  maxMedia: whole,
  mimeTypes: texts,
  maxImageBytes: whole,
  maxImagePixels: whole,
  maxVideoBytes: whole,
  maxAltLength: whole,
  maxPollChoices: whole,
  maxPollChoiceLength: whole,
  minPollSeconds: whole,
  maxPollSeconds: whole,
});
type ServerFacts = z.output<typeof ServerFacts>;

/** Version 2 calls its name `domain`, version 1 `uri`. */
const Instance = z.object({
  domain: text,
  uri: text,
  version: text,
  configuration: z
    .object({
      statuses: z
        .object({ max_characters: whole, max_media_attachments: whole, characters_reserved_per_url: whole })
        .optional(),
      media_attachments: z
        .object({
          supported_mime_types: texts,
          image_size_limit: whole,
          image_matrix_limit: whole,
          video_size_limit: whole,
          description_limit: whole,
        })
        .optional(),
      polls: z
        .object({
          max_options: whole,
          max_characters_per_option: whole,
          min_expiration: whole,
          max_expiration: whole,
        })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

const readFacts = createFactsReader(ServerFacts);

export interface Server {
  /** The domain after the @ of a handle. */
  readonly domain: string;
  readonly facts: ServerFacts;
}

/** What a server reports about itself. Without a report the usual limits apply. */
export const readServer = async (site: Site, tokens?: Tokens): Promise<Server> => {
  const read = (path: string) =>
    site.request({
      url: site.server + path,
      ...(tokens && { headers: { authorization: `Bearer ${tokens.accessToken}` } }),
    });
  const newer = await read('/api/v2/instance');
  const path = '/api/v1/instance';
  const answer = newer.status === 200 ? newer : await read(path);
  if (answer.status === 429 || answer.status >= 500) throw troubleOf(site, path, answer);
  const { data = {} } = Instance.safeParse(answer.status === 200 ? answer.json : {});
  return toServer(site, data);
};

const toServer = (site: Site, { domain, uri, version, configuration }: z.output<typeof Instance>): Server => {
  const { statuses, media_attachments: media, polls } = configuration ?? {};
  const facts = {
    version,
    host: new URL(isUsual(site) ? site.link('server') : site.server).host,
    maxCharacters: statuses?.max_characters,
    charactersPerUrl: statuses?.characters_reserved_per_url,
    maxMedia: statuses?.max_media_attachments,
    mimeTypes: media?.supported_mime_types,
    maxImageBytes: media?.image_size_limit,
    // Pixelfed reports a number that it does not enforce: it scales larger images down.
    maxImagePixels: runsPixelfed(version) ? undefined : media?.image_matrix_limit,
    maxVideoBytes: media?.video_size_limit,
    maxAltLength: media?.description_limit,
    maxPollChoices: polls?.max_options,
    maxPollChoiceLength: polls?.max_characters_per_option,
    minPollSeconds: polls?.min_expiration,
    maxPollSeconds: polls?.max_expiration,
  };
  return { domain: (domain ?? uri ?? hostOf(site)).replace(/^https?:\/\//, ''), facts: ServerFacts.parse(facts) };
};

/** `3.5.3 (compatible; Pixelfed 0.12.4)` */
export const runsPixelfed = (version: string | undefined): boolean => /pixelfed/i.test(version ?? '');

/** `4.2.1 (compatible; Sharkey 2025.4.3)` */
export const runsSharkey = (facts: Json | undefined): boolean => /sharkey/i.test(readFacts(facts)?.version ?? '');

/** Other software that speaks the API says so: `2.7.2 (compatible; Pleroma 2.9.1)`, or counts its versions below 1. */
export const runsMastodonItself = (facts: Json): boolean =>
  /^[2-9]\.\d+\.\d+([-+~][\w.+~-]*)?$/.test(readFacts(facts)?.version ?? '');

/** The host in the addresses of posts on the account's server. */
export const hostIn = (facts: Json): string | undefined => readFacts(facts)?.host;

/** Why posts cannot be quoted on this server; undefined when they can. Older servers would leave the quote out. */
export const noQuotes = (facts: Json): string | undefined => {
  const { version = '' } = readFacts(facts) ?? {};
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  if (runsMastodonItself(facts) && (major > 4 || (major === 4 && minor >= 5))) return undefined;
  return `The server of this account (${version || 'of unknown version'}) cannot quote, which needs Mastodon 4.5: remove mastodon.quote.`;
};

/** Whether it is the server that the network's `hosts` name, which the sandbox stands in for. */
export const isUsual = (site: Site): boolean => site.server === site.host('server');

/** A server can report anything. */
const longestUrl = 1_000;

/** The usual constraints with the limits of the server in their place. */
export const withLimitsOf = (facts: Json | undefined, constraints: Constraints): Constraints => {
  const serverFacts = readFacts(facts) ?? {};
  const { characters } = constraints;
  const { images, videos, ...media } = constraints.media;
  const max = serverFacts.maxMedia ?? media.max;
  const typesOf = (kind: string, usual: readonly string[] = []) =>
    serverFacts.mimeTypes?.filter((type) => type.startsWith(kind)) ?? [...usual];
  const imageTypes = typesOf('image/', images?.mimeTypes);
  const videoTypes = typesOf('video/', videos?.mimeTypes);
  const imageBytes = serverFacts.maxImageBytes ?? images?.maxBytes ?? 0;
  const videoBytes = serverFacts.maxVideoBytes ?? videos?.maxBytes ?? imageBytes;
  const pixels = serverFacts.maxImagePixels ?? images?.maxPixels;
  const altLength = serverFacts.maxAltLength ?? images?.maxAltLength;
  return {
    ...constraints,
    characters: {
      ...characters,
      max: serverFacts.maxCharacters ?? characters.max,
      ...(characters.links && {
        links: {
          ...characters.links,
          length: Math.min(serverFacts.charactersPerUrl ?? characters.links.length, longestUrl),
        },
      }),
    },
    media: {
      ...media,
      max,
      ...(imageTypes.length > 0 && {
        images: {
          ...images,
          max,
          mimeTypes: imageTypes,
          maxBytes: imageBytes,
          ...(pixels !== undefined && { maxPixels: pixels }),
          ...(altLength !== undefined && { maxAltLength: altLength }),
        },
      }),
      ...(videoTypes.length > 0 && { videos: { max: 1, ...videos, mimeTypes: videoTypes, maxBytes: videoBytes } }),
    },
  };
};

/** The same for polls. */
export const pollLimitsOf = (facts: Json, usual: PollLimits): PollLimits => {
  const serverFacts = readFacts(facts) ?? {};
  const minutes = (seconds: number | undefined, round: (value: number) => number) =>
    seconds === undefined ? undefined : round(seconds / 60);
  return {
    ...usual,
    maxChoices: serverFacts.maxPollChoices ?? usual.maxChoices,
    maxChoiceLength: serverFacts.maxPollChoiceLength ?? usual.maxChoiceLength,
    minDurationMinutes: minutes(serverFacts.minPollSeconds, Math.ceil) ?? usual.minDurationMinutes,
    maxDurationMinutes: minutes(serverFacts.maxPollSeconds, Math.floor) ?? usual.maxDurationMinutes,
  };
};
