import { existsSync, readFileSync } from 'node:fs';
import type { Network, NetworkMedia, NetworkPost } from '#server/networks/network';
import type { Documented, Sandbox } from '#server/networks/sandbox';
import { networksFolder as folder, networkKeys } from '#test/support/network-keys';

/** Long texts are written as `{ "repeat": "a", "times": 280 }`, or as a list of pieces. */
export type Text = string | { repeat: string; times: number } | Text[];
/** A MIME type stands for an ordinary file of that type; fields change what matters to the example. */
export type Media = string | (Partial<NetworkMedia> & { mimeType: string });

export interface PostExample {
  title: string;
  items: { body: Text; media?: Media[] }[];
  options?: Record<string, Text>;
  /** The files that options of type Media name. */
  optionFiles?: Record<string, Media>;
}

export interface Examples {
  counting: { text: Text; length: number; why: string; options?: Record<string, Text> }[];
  valid: PostExample[];
  invalid: (PostExample & { code: string; path: string })[];
  /** Limits that depend on the post, by their dotted path; null when there is none. */
  limits?: (PostExample & { limits: Record<string, unknown> })[];
  /** Posts that are sent to the sandbox, and what it must show of each part. The first is the simplest. */
  publish: (PostExample & {
    posted: Record<string, unknown>[];
    /** Nothing is public, so there is nothing to open. */
    withoutUrl?: true;
    /** Public, but the network has no address for it that stays. */
    withoutLink?: true;
  })[];
  /** Whether the network can tell if a post exists whose answer was lost. */
  confirms: boolean;
  /** The lists it is looked up in, and their page sizes. `example`: the title of a post that is in the list. */
  lists?: { posts?: { page: number; example?: string }; comments?: { page: number } };
  /** False where the network does not report the granted permissions. */
  tellsPermissions?: false;
  /** Where a revoked access token is accepted until it expires. */
  accessOutlivesRevocation?: true;
}

export const networks = await Promise.all(
  networkKeys.map(async (key) => ({
    key,
    network: ((await import(`#server/networks/${key}/index`)) as { default: Network }).default,
    examples: JSON.parse(readFileSync(`${folder}/${key}/examples.json`, 'utf8')) as Examples,
  })),
);

export const sandboxes = Object.fromEntries(
  await Promise.all(
    networks
      .filter(({ key }) => existsSync(`${folder}/${key}/sandbox.ts`))
      .map(
        async ({ key }) =>
          [key, ((await import(`#server/networks/${key}/sandbox`)) as { default: Sandbox }).default] as const,
      ),
  ),
);

/** The networks that publish a machine-readable description, and what it says. */
export const documented = Object.fromEntries(
  await Promise.all(
    networks
      .filter(({ key }) => existsSync(`${folder}/${key}/documented.ts`))
      .map(
        async ({ key }) =>
          [
            key,
            ((await import(`#server/networks/${key}/documented`)) as { documented: Documented }).documented,
          ] as const,
      ),
  ),
);

export const textOf = (text: Text): string => {
  if (typeof text === 'string') return text;
  return Array.isArray(text) ? text.map(textOf).join('') : text.repeat.repeat(text.times);
};

export const mediaOf = (media: Media, index: number): NetworkMedia => {
  const fields = typeof media === 'string' ? { mimeType: media } : media;
  if (fields.mimeType === 'application/pdf')
    return { id: `media_${index}`, kind: 'Document', bytes: 300_000, width: 0, height: 0, ...fields };
  const ordinary = fields.mimeType.startsWith('video/')
    ? ({ kind: 'Video', bytes: 5_000_000, width: 1080, height: 1920, durationMs: 30_000 } as const)
    : ({ kind: 'Image', bytes: 200_000, width: 1080, height: 1080 } as const);
  return { id: `media_${index}`, ...ordinary, ...fields };
};

export const optionsOf = (network: Network, options: Record<string, Text> = {}): Record<string, string> => ({
  ...Object.fromEntries(network.options.flatMap((option) => (option.default ? [[option.key, option.default]] : []))),
  ...Object.fromEntries(Object.entries(options).map(([key, value]) => [key, textOf(value)])),
});

export const postOf = (
  network: Network,
  { items, options, optionFiles }: Pick<PostExample, 'items' | 'options' | 'optionFiles'>,
): NetworkPost => {
  const files = Object.entries(optionFiles ?? {}).map(
    ([key, file], index) => [key, mediaOf(file, 100 + index)] as const,
  );
  // Ids of media, padded to their usual length.
  const ids = Object.fromEntries(files.map(([key], index) => [key, `media_${String(index).padStart(26, '0')}`]));
  return {
    items: items.map(({ body, media = [] }) => ({ body: textOf(body), media: media.map(mediaOf) })),
    options: { ...optionsOf(network, options), ...ids },
    ...(files.length > 0 && { optionFiles: Object.fromEntries(files) }),
  };
};
