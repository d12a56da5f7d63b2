// The checks one would write without a library, with the same limits, defaults and strictness as the contracts.
import { z } from 'zod';

const fail = (path) => {
  throw new Error(`${path}: is not valid`);
};

// Date.parse would be slower, and takes the 30th of February.
const instant = z.regexes.datetime({ offset: true });

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value) => typeof value === 'string' && value.length >= 1 && value.length <= 100;
const isInstantOrEmpty = (value) =>
  value === '' || (typeof value === 'string' && value.length <= 40 && value >= '1970' && instant.test(value));

const onlyFields = (value, fields, path) => {
  for (const key in value) if (!fields.includes(key)) fail(`${path}${key}`);
};

const ids = (value, path) => {
  if (!Array.isArray(value) || value.length > 100) fail(path);
  for (let i = 0; i < value.length; i++) if (!isId(value[i])) fail(`${path}.${i}`);
  return value.slice();
};

const text = (value, path) => (typeof value === 'string' && value.length <= 100_000 ? value : fail(path));

const createFields = ['accountIds', 'body', 'scheduledAt'];

export const createInput = (input) => {
  if (!isObject(input)) fail('body');
  onlyFields(input, createFields, '');
  const { accountIds = [], body = '', scheduledAt = '' } = input;
  if (!isInstantOrEmpty(scheduledAt)) fail('scheduledAt');
  return { accountIds: ids(accountIds, 'accountIds'), body: text(body, 'body'), scheduledAt };
};

const updateFields = ['id', 'accountIds', 'versions', 'scheduledAt', 'baseUpdatedAt'];
const versionFields = ['accountId', 'content', 'options'];
const itemFields = ['body', 'media'];

export const updateInput = (input) => {
  if (!isObject(input)) fail('body');
  onlyFields(input, updateFields, '');
  const { id, accountIds, versions, scheduledAt = '', baseUpdatedAt = '' } = input;
  if (!isId(id)) fail('id');
  if (!Array.isArray(versions) || versions.length < 1 || versions.length > 101) fail('versions');
  if (!isInstantOrEmpty(scheduledAt)) fail('scheduledAt');
  if (!isInstantOrEmpty(baseUpdatedAt)) fail('baseUpdatedAt');
  return {
    id,
    accountIds: ids(accountIds, 'accountIds'),
    versions: versions.map((version, i) => versionOf(version, `versions.${i}.`)),
    scheduledAt,
    baseUpdatedAt,
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
