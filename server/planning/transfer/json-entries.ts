import { z } from 'zod';
import type { ImportFormat } from '#contracts/transfer';
import { badInput } from '#server/base/errors';
import { type Entry, unreadable } from './entry.ts';
import { itemsOf, type JsonItem } from './json-items.ts';
import { plainText } from './plain-text.ts';

export const exportName = 'posthorn-export';
export const exportVersion = 1;

interface JsonFile {
  readonly format: Exclude<ImportFormat, 'Posthorn CSV' | 'Buffer CSV'>;
  readonly ignored: readonly string[];
  readonly entries: AsyncIterable<Entry>;
}

/** `head` is the beginning of the file. */
export const readJson = async (head: string, chunks: AsyncIterable<string>): Promise<JsonFile> => {
  const version = versionOf(head);
  if (version !== undefined && version > exportVersion) {
    const message = `is an export of version ${version}, which a newer Posthorn made; this one reads up to version ${exportVersion}`;
    throw badInput({ path: 'file', code: 'NewerVersion', message });
  }
  const items = itemsOf(chunks, ['posts', 'data']);
  const first = await items.next();
  const [format, read] = version !== undefined ? shapes[0] : first.done ? [] : shapeOf(parse(first.value));
  if (format === undefined || read === undefined) {
    const message = 'holds no posts in a form that is known here; /help/import-export lists the formats';
    throw badInput({ path: 'file', code: 'UnknownFormat', message });
  }
  return { format, ignored: [], entries: entriesOf(first.done ? [] : [first.value], items, read) };
};

/** The version of one of our own exports; undefined for other files. */
const versionOf = (head: string) => {
  if (!new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${exportName}"`).test(head)) return undefined;
  return Number(/"version"\s*:\s*(\d{1,6})/.exec(head)?.[1] ?? exportVersion);
};

async function* entriesOf(
  first: readonly JsonItem[],
  rest: AsyncIterable<JsonItem>,
  read: (value: unknown) => Entry | undefined,
): AsyncGenerator<Entry> {
  const entryOf = (item: JsonItem) =>
    item.isTooLarge
      ? unreadable('post', 'TooBig', 'is larger than any post can be')
      : (read(parse(item)) ?? unreadable('post', 'BadFormat', 'does not have the fields of the posts before it'));
  for (const item of first) yield entryOf(item);
  for await (const item of rest) yield entryOf(item);
}

const parse = ({ text, isTooLarge }: JsonItem): unknown => {
  try {
    return isTooLarge ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

const OwnMedia = z.object({ url: z.string(), alt: z.string().optional() });
const OwnPost = z.object({
  id: z.string().optional(),
  accounts: z.array(z.string()),
  scheduledAt: z.string().default(''),
  versions: z
    .array(
      z.object({
        account: z.string().optional(),
        content: z.array(z.object({ body: z.string(), media: z.array(OwnMedia) })).min(1),
        options: z.record(z.string(), z.string()),
      }),
    )
    .min(1),
});

const ownPost = (value: unknown): Entry | undefined => {
  const { data } = OwnPost.safeParse(value);
  return data && { ...data, time: data.scheduledAt, zone: '', problems: [] };
};

/** An answer of Postiz' public API to GET /posts: one entry per channel, with the name of the account instead of its handle. */
const PostizMedia = z.object({ url: z.string().optional(), path: z.string().optional(), alt: z.string().nullish() });
const PostizPost = z.object({
  content: z.string(),
  publishDate: z.string().nullish(),
  integration: z
    .object({
      providerIdentifier: z.string().optional(),
      identifier: z.string().optional(),
      profile: z.string().nullish(),
      name: z.string().nullish(),
    })
    .nullish(),
  media: z.array(PostizMedia).nullish(),
  image: z.array(PostizMedia).nullish(),
});

const postizPost = (value: unknown): Entry | undefined => {
  const { data } = PostizPost.safeParse(value);
  if (data === undefined) return undefined;
  const { content, publishDate, integration } = data;
  const network = integration?.providerIdentifier ?? integration?.identifier;
  const handle = integration?.profile || integration?.name;
  const media = (data.media ?? data.image ?? []).flatMap(({ url, path, alt }) => {
    const address = url ?? path;
    return address === undefined ? [] : [{ url: address, ...(alt && { alt }) }];
  });
  return {
    accounts: network && handle ? [`${network}:${handle}`] : [],
    time: publishDate ?? '',
    zone: '',
    versions: [{ content: [{ body: plainText(content), media }], options: {} }],
    problems: [],
  };
};

/** An answer of Mixpost's API to GET …/posts. Its texts are HTML, its times have no zone. */
const MixpostPost = z.object({
  accounts: z
    .array(
      z.object({ id: z.number(), provider: z.string(), username: z.string().nullish(), name: z.string().nullish() }),
    )
    .default([]),
  versions: z
    .array(
      z.object({
        account_id: z.number().nullish(),
        is_original: z.union([z.boolean(), z.number()]),
        content: z
          .array(
            z.object({
              body: z.string().nullish(),
              media: z.array(z.union([z.object({ url: z.string() }), z.number(), z.string()])).default([]),
            }),
          )
          .min(1),
      }),
    )
    .min(1),
  scheduled_at: z.union([z.string(), z.object({ date: z.string().nullish(), time: z.string().nullish() })]).nullish(),
});

const mixpostPost = (value: unknown): Entry | undefined => {
  const { data } = MixpostPost.safeParse(value);
  if (data === undefined) return undefined;
  const nameOf = new Map(
    data.accounts.map(({ id, provider, username, name }) => [id, `${provider}:${username || name || id}`]),
  );
  const versions = data.versions
    .toSorted((a, b) => Number(Boolean(b.is_original)) - Number(Boolean(a.is_original)))
    .map(({ is_original, account_id, content }) => ({
      ...(!is_original && { account: nameOf.get(account_id ?? 0) ?? `account ${account_id}` }),
      content: content.map(({ body, media }) => ({
        body: plainText(body ?? ''),
        media: media.flatMap((one) => (typeof one === 'object' ? [{ url: one.url }] : [])),
      })),
      options: {},
    }));
  const { scheduled_at: at } = data;
  return {
    accounts: [...nameOf.values()],
    time: typeof at === 'string' ? at : at?.date && at.time ? `${at.date} ${at.time}` : '',
    zone: '',
    versions,
    problems: [],
  };
};

const shapes = [
  ['Posthorn JSON', ownPost],
  ['Mixpost JSON', mixpostPost],
  ['Postiz JSON', postizPost],
] as const;

/** Recognised by the fields of the first post. */
const shapeOf = (value: unknown) => shapes.find(([, read]) => read(value) !== undefined) ?? [];
