// The checks one would write without a library, with the same limits, defaults and strictness as the contracts.
import { canonicalInstant } from '../../contracts/instant.ts';
import { countText } from '../../server/networks/counting.ts';

const fail = (path) => {
  throw new Error(`${path}: is not valid`);
};

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value) => typeof value === 'string' && value.length >= 1 && value.length <= 100;
/** The canonical form in which the service stores instants. */
const instantOrEmpty = (value, path) =>
  value === '' ? value : ((typeof value === 'string' ? canonicalInstant(value) : undefined) ?? fail(path));

const onlyFields = (value, fields, path) => {
  for (const key in value) if (!fields.includes(key)) fail(`${path}${key}`);
};

const ids = (value, path) => {
  if (!Array.isArray(value) || value.length > 100) fail(path);
  for (let i = 0; i < value.length; i++) if (!isId(value[i])) fail(`${path}.${i}`);
  return value.slice();
};

const text = (value, path) => (typeof value === 'string' && value.length <= 100_000 ? value : fail(path));

const createFields = ['accountIds', 'body', 'scheduledAt', 'versions'];

export const createInput = (input) => {
  if (!isObject(input)) fail('body');
  onlyFields(input, createFields, '');
  const { accountIds = [], body = '', scheduledAt = '', versions = [] } = input;
  if (!Array.isArray(versions) || versions.length > 101) fail('versions');
  return {
    accountIds: ids(accountIds, 'accountIds'),
    body: text(body, 'body'),
    scheduledAt: instantOrEmpty(scheduledAt, 'scheduledAt'),
    versions: versions.map((version, i) => versionOf(version, `versions.${i}.`)),
  };
};

const updateFields = ['id', 'accountIds', 'versions', 'scheduledAt', 'unschedule', 'baseUpdatedAt'];
const versionFields = ['accountId', 'content', 'options'];
const itemFields = ['body', 'media'];

export const updateInput = (input) => {
  if (!isObject(input)) fail('body');
  onlyFields(input, updateFields, '');
  const { id, accountIds, versions, scheduledAt = '', unschedule = false, baseUpdatedAt = '' } = input;
  if (!isId(id)) fail('id');
  if (typeof unschedule !== 'boolean') fail('unschedule');
  if (!Array.isArray(versions) || versions.length < 1 || versions.length > 101) fail('versions');
  return {
    id,
    accountIds: ids(accountIds, 'accountIds'),
    versions: versions.map((version, i) => versionOf(version, `versions.${i}.`)),
    scheduledAt: instantOrEmpty(scheduledAt, 'scheduledAt'),
    unschedule,
    baseUpdatedAt: instantOrEmpty(baseUpdatedAt, 'baseUpdatedAt'),
  };
};

const versionOf = (version, path) => {
  if (!isObject(version)) fail(path);
  onlyFields(version, versionFields, path);
  const { accountId, content, options = {} } = version;
  if (accountId !== undefined && (typeof accountId !== 'string' || accountId.length > 100)) fail(`${path}accountId`);
  if (!Array.isArray(content) || content.length < 1 || content.length > 100) fail(`${path}content`);
  const checked = {
    content: content.map((item, i) => itemOf(item, `${path}content.${i}.`)),
    options: optionsOf(options, `${path}options`),
  };
  return accountId === undefined ? checked : { accountId, ...checked };
};

const itemOf = (item, path) => {
  if (!isObject(item)) fail(path);
  onlyFields(item, itemFields, path);
  const { body, media = [] } = item;
  return { body: text(body, `${path}body`), media: ids(media, `${path}media`) };
};

const optionsOf = (options, path) => {
  if (!isObject(options)) fail(path);
  const checked = {};
  for (const key of Object.keys(options)) {
    const value = options[key];
    if (key.length > 100 || typeof value !== 'string' || value.length > 10_000) fail(`${path}.${key}`);
    checked[key] = value;
  }
  return checked;
};

/** Checks the post of every account against the limits of its network. The network defines how its text is counted. */
export const limits = (post, { networkOf, media }) => {
  const broken = [];
  for (const accountId of post.accountIds) {
    const { constraints } = networkOf(accountId).network;
    const { content, options } = post.versions.find((version) => version.accountId === accountId) ?? post.versions[0];
    const { characters, thread } = constraints;
    if (content.length > thread.max) broken.push(`${accountId}: too many items`);
    for (const { body, media: ids } of content) {
      if (countText(characters, body, options) > characters.max) broken.push(`${accountId}: too long`);
      if (ids.length < constraints.media.min) broken.push(`${accountId}: too few media`);
      if (ids.length > constraints.media.max) broken.push(`${accountId}: too many media`);
      for (const file of ids.map((id) => media.get(id))) {
        const allowed = file.kind === 'Image' ? constraints.media.images : constraints.media.videos;
        if (!allowed?.mimeTypes.includes(file.mimeType)) broken.push(`${accountId}: wrong kind`);
        else if (file.bytes > allowed.maxBytes) broken.push(`${accountId}: too large`);
      }
    }
  }
  return broken;
};
