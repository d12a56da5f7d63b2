import type { Constraints, LinkCard, MediaItem, Option } from '#generated/app-client';
import { withShortLinks } from '#server/networks/short-links';
import { linkCardsIn } from '#web/parts/link-card.tsx';
import { isMediaId, thumbnailOf } from '#web/parts/media-file.ts';
import { toRelativeUrl } from '#web/parts/to-relative-url.ts';
import type { PreviewFile, PreviewPost } from './model.ts';

interface Source {
  readonly account: {
    readonly network: string;
    readonly provider: string;
    readonly name: string;
    readonly handle: string;
    readonly avatarUrl?: string | undefined;
  };
  readonly limits: Constraints;
  readonly items: readonly { key?: string; body: string; media: readonly string[] }[];
  readonly options: Readonly<Record<string, string>>;
  readonly networkOptions: readonly Option[];
  readonly choicesOf?: (key: string) => Option['choices'];
  readonly mediaOf: (id: string) => MediaItem | undefined;
  readonly fittedOf: (id: string) => MediaItem | undefined;
  readonly linkCards: readonly LinkCard[];
}

/** Builds the preview of one account from the server's data about the post. */
export const toPreview = (source: Source): PreviewPost => {
  const { account, limits, networkOptions, mediaOf } = source;
  const { network, provider, name, handle, avatarUrl } = account;
  const options: Record<string, string> = {};
  for (const { key, default: byDefault } of networkOptions) {
    const value = source.options[key] ?? byDefault;
    if (value !== undefined) options[key] = value;
  }
  const moment = networkOptions.find(({ key, unitMs }) => unitMs && /^[1-9]\d{0,8}$/.test(options[key] ?? ''));
  const coverMs = moment && Number(options[moment.key]) * (moment.unitMs ?? 1);
  const file = networkOptions.find(({ key, type }) => type === 'Media' && isMediaId(options[key] ?? ''));
  return {
    network,
    account: { provider, name, handle, picture: avatarUrl && toRelativeUrl(avatarUrl) },
    limits,
    options,
    labels: labelsOf(options, networkOptions, source.choicesOf),
    optionFile: file && thumbnailOf(options[file.key] ?? ''),
    items: source.items.map(({ key, body, media }, index) => ({
      key: key ?? String(index),
      body: limits.characters.shortLinks ? withShortLinks(body).text : body,
      media: media.flatMap((id) =>
        toFile(id, mediaOf(id), source.fittedOf(id), media.length === 1 ? coverMs : undefined),
      ),
      linkCard:
        media.length === 0 && options[`${network}.link_card`] !== 'false'
          ? linkCardsIn(source.linkCards, network, body)[0]
          : undefined,
    })),
  };
};

const labelsOf = (
  options: Readonly<Record<string, string>>,
  networkOptions: readonly Option[],
  choicesOf: Source['choicesOf'],
) => {
  const labels: Record<string, string> = {};
  for (const { key, choices = [] } of networkOptions) {
    const choice = [...(choicesOf?.(key) ?? []), ...choices].find(({ value }) => value === options[key]);
    if (choice) labels[key] = choice.label;
  }
  return labels;
};

const toFile = (
  id: string,
  original: MediaItem | undefined,
  fitted: MediaItem | undefined,
  coverMs: number | undefined,
): PreviewFile[] => {
  const file = fitted ?? original;
  if (file === undefined) return [];
  const { kind, width, height, durationMs } = file;
  return [
    {
      key: id,
      kind,
      src: thumbnailOf(file.id),
      ...(fitted && { fallbackSrc: thumbnailOf(id) }),
      alt: original?.alt ?? '',
      width,
      height,
      durationMs,
      ...(kind === 'Video' && { playsAt: `/media/${file.id}`, coverMs }),
    },
  ];
};
