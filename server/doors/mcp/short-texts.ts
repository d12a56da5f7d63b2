import type { accountActions } from '#contracts/accounts';
import type { Summary } from '#contracts/analytics';
import type { mediaActions } from '#contracts/media';
import type { postActions } from '#contracts/posts';
import type { providerActions } from '#contracts/providers';
import type { Output } from '#server/base/context';
import { describeUploadAddress } from '#server/media/upload-addresses';
import { quoted, toCompactText } from './compact-text.ts';
import { describeLimits } from './describe-limits.ts';
import { describeSummary, type SummaryContext } from './describe-summary.ts';

type Accounts = Output<(typeof accountActions)['accounts.list']>;

const describeAccounts = ({ accounts }: Accounts) =>
  accounts.length === 0
    ? 'No account is connected. A person connects one in the app; providers_list has the addresses.'
    : ['accounts (id, network, name, handle), Connected unless noted:', ...accounts.map(describeAccount)].join('\n');

const describeAccount = ({ id, network, name, handle, status, statistics }: Accounts['accounts'][number]) =>
  [
    `- ${id}`,
    network,
    quoted(name),
    quoted(handle),
    ...(status === 'Connected' ? [] : [status]),
    ...(statistics === 'Reconnect' ? ['statistics need a reconnect'] : []),
  ].join(', ');

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
    mimeType.replace('image/', ''),
    ...(kind === 'Document' ? [] : [`${width}x${height}`]),
    ...(durationMs === undefined ? [] : [`${Math.round(durationMs / 100) / 10} s`]),
    bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${Math.round(bytes / 100_000) / 10} MB`,
    ...(kind === 'Document' ? [] : [alt === undefined ? 'no alt' : `alt ${quoted(alt)}`]),
    ...(name === undefined ? [] : [quoted(name)]),
  ].join(', ');

type PostPage = Output<(typeof postActions)['posts.list']>;

/** The URLs of all cards differ only in their ids, so their prefix is printed once. */
const describePosts = ({ requests = [], ...page }: PostPage) => {
  const [first] = requests;
  if (first === undefined) return toCompactText(page);
  const address = first.approvalUrl.slice(0, first.approvalUrl.lastIndexOf('/') + 1);
  return [
    toCompactText(page),
    `requests (postId, action, approvalUrl after ${address}):`,
    ...requests.map(
      ({ postId, action, approvalUrl }) => `- ${postId}, ${action}, ${approvalUrl.slice(address.length)}`,
    ),
  ].join('\n');
};

/** What a text needs besides the output. */
export interface TextContext {
  readonly args: Readonly<Record<string, unknown>>;
  readonly readSummaryContext: () => Promise<SummaryContext>;
}

type Describe = (output: never, context: TextContext) => string | Promise<string>;

/** Shorter texts, by action, for outputs that are long in the general form. `structuredContent` has the full output. */
export const shortTexts: Readonly<Record<string, Describe>> = {
  'accounts.list': describeAccounts,
  'media.list': describeMedia,
  'posts.list': describePosts,
  'providers.limits': (output: Output<(typeof providerActions)['providers.limits']>, { args }: TextContext) =>
    args.detail === true ? toCompactText(output) : describeLimits(output),
  'analytics.summary': async (output: Summary, { readSummaryContext }: TextContext) =>
    describeSummary(output, await readSummaryContext()),
};
