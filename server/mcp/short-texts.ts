import type { Summary } from '#contracts/analytics';
import type { mediaActions } from '#contracts/media';
import type { providerActions } from '#contracts/providers';
import type { Output } from '#server/context';
import { describeUploadAddress } from '#server/media/upload-addresses';
import { quoted, toCompactText } from './compact-text.ts';
import { describeLimits } from './limits-text.ts';
import { describeSummary, type SummaryContext } from './summary-text.ts';

type MediaPage = Output<(typeof mediaActions)['media.list']>;

const describeMedia = ({ media, nextCursor, upload }: MediaPage) =>
  [
    media.length === 0 ? 'The media library has none of these.' : 'media, newest first:',
    ...media.map(describeFile),
    ...(nextCursor ? [`nextCursor: ${nextCursor}`] : []),
    ...(upload ? [describeUploadAddress(upload)] : []),
  ].join('\n');

const describeFile = ({
  id,
  kind,
  mimeType,
  width,
  height,
  durationMs,
  bytes,
  alt,
  name,
}: MediaPage['media'][number]) =>
  [
    `- ${id}`,
    mimeType,
    ...(kind === 'Document' ? [] : [`${width}x${height}`]),
    ...(durationMs === undefined ? [] : [`${Math.round(durationMs / 100) / 10} s`]),
    bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${Math.round(bytes / 100_000) / 10} MB`,
    ...(kind === 'Document' ? [] : [alt === undefined ? 'no alt' : `alt ${quoted(alt)}`]),
    ...(name === undefined ? [] : [quoted(name)]),
  ].join(', ');

/** What a text needs beside the output. */
export interface TextContext {
  readonly args: Readonly<Record<string, unknown>>;
  readonly readSummaryContext: () => Promise<SummaryContext>;
}

type Describe = (output: never, context: TextContext) => string | Promise<string>;

/** Texts of outputs that the general form makes long, by action. The output itself is in `structuredContent`. */
export const shortTexts: Readonly<Record<string, Describe>> = {
  'media.list': describeMedia,
  'providers.limits': (output: Output<(typeof providerActions)['providers.limits']>, { args }: TextContext) =>
    args.detail === true ? toCompactText(output) : describeLimits(output),
  'analytics.summary': async (output: Summary, { readSummaryContext }: TextContext) =>
    describeSummary(output, await readSummaryContext()),
};
