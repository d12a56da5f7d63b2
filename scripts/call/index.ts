// `posthorn call`, `posthorn profile` and `posthorn completion`: for clients of a server that runs elsewhere. Loads nothing of
// the server, so that it starts fast.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { commands } from '#generated/commands';
import { errorClasses } from '#packages/sdk/src/generated/errors';
import { Http } from '#packages/sdk/src/http';
import { ConnectionError, isApiError } from '#packages/sdk/src/posthorn-error';
import { type Command, type Environment, UsageError } from './command.ts';
import { completion } from './completion.ts';
import { commandHelp, overview, profileHelp } from './help.ts';
import { listProfiles, readProfile, removeProfile, saveProfile } from './profiles.ts';
import { send } from './send.ts';

/** Read when the value of an option is `-`. */
const standardInput = () => readFileSync(0, 'utf8');

const print = (value: unknown, compact = false) => console.log(JSON.stringify(value, null, compact ? 0 : 2));

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** Options of every action. Fields of an action with the same name take precedence. */
const common = {
  input: text,
  profile: text,
  url: text,
  token: text,
  'idempotency-key': text,
  timeout: text,
  compact: flag,
  help: { ...flag, short: 'h' },
} as const;

export const main = async ([group, ...args]: readonly string[], env: Environment): Promise<number> => {
  try {
    if (group === 'profile') return profile(args, env);
    if (group === 'completion') return printCompletion(args);
    return await call(args, env);
  } catch (error) {
    return report(error);
  }
};

/** Returns the exit code. 1: the server refused. 2: the command line is wrong. 3: no answer. */
const report = (error: unknown): number => {
  if (isApiError(error)) {
    const { code, message, issues, requestId, approvalUrl } = error;
    console.error(JSON.stringify({ code, message, issues, requestId, approvalUrl }, null, 2));
    return 1;
  }
  const isUsage = error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  if (!isUsage && !(error instanceof ConnectionError)) throw error;
  console.error((error as Error).message);
  return isUsage ? 2 : 3;
};

const call = async ([name, ...args]: readonly string[], env: Environment): Promise<number> => {
  if (name === undefined || name.startsWith('-')) {
    console.log(overview(commands));
    return name === undefined ? 2 : 0;
  }
  if (name === 'media.upload') return upload(args, env);
  if (name === 'whoami') return whoAmI(args, env);
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw new UsageError(`There is no action ${name}. \`posthorn call --help\` lists them.`);
  const options = Object.fromEntries(
    command.fields.map((field) => [field.flag, { ...text, multiple: field.type === 'list' }]),
  );
  const { values } = parseArgs({ args: [...args], options: { ...common, ...options }, allowPositionals: false });
  if (values.help) {
    console.log(commandHelp(command));
    return 0;
  }
  const flags = values as Record<string, string | string[] | boolean | undefined>;
  const input = { ...inputOf(values.input), ...fieldsOf(command, flags) };
  const { http, callOptions } = open(values, env);
  print(await http.action(command.name, command.retry, input, callOptions), values.compact);
  return 0;
};

type Common = { [Name in keyof typeof common]?: string | boolean | undefined };

const open = (values: Common, env: Environment) => {
  const textOf = (value: string | boolean | undefined) => (typeof value === 'string' ? value : undefined);
  const profileName = textOf(values.profile) ?? env.POSTHORN_PROFILE;
  const url = textOf(values.url) || env.POSTHORN_URL;
  const token = textOf(values.token) || env.POSTHORN_TOKEN;
  // The default profile applies only if neither a URL nor a token is given, so that its token never goes to another
  // server.
  const isNamed = profileName !== undefined;
  const fromProfile = isNamed || (!url && !token) ? readProfile(env, profileName) : undefined;
  const baseUrl = textOf(values.url) ?? fromProfile?.url ?? url;
  const chosenToken = textOf(values.token) ?? fromProfile?.token ?? token;
  const finalToken = chosenToken === '-' ? standardInput().trim() : chosenToken;
  if (!baseUrl || !finalToken) {
    throw new UsageError(
      'Which server? Set POSTHORN_URL and POSTHORN_TOKEN, or store them: posthorn profile set default --url https://posts.example.com --token -',
    );
  }
  const headers = { 'user-agent': 'posthorn-call' };
  const http = new Http({ baseUrl, token: finalToken, headers, fetch: send }, errorClasses);
  const seconds = textOf(values.timeout);
  if (seconds !== undefined && !(Number(seconds) > 0)) throw new UsageError('--timeout must be a number of seconds');
  return {
    http,
    callOptions: {
      idempotencyKey: textOf(values['idempotency-key']),
      timeoutMs: seconds === undefined ? undefined : Number(seconds) * 1000,
    },
  };
};

/** JSON as it is, `@file` or `-` for standard input. */
const inputOf = (option: string | undefined): Record<string, unknown> => {
  if (option === undefined) return {};
  const source = option === '-' ? standardInput() : option.startsWith('@') ? fileAt(option.slice(1)) : option;
  const parsed = jsonIn('--input', source);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new UsageError('--input must be a JSON object');
  return parsed as Record<string, unknown>;
};

const fileAt = (path: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`${path} cannot be read: ${(cause as Error).message}`);
  }
};

const jsonIn = (where: string, source: string): unknown => {
  try {
    return JSON.parse(source);
  } catch {
    throw new UsageError(`${where} must be JSON, but is not`);
  }
};

const fieldsOf = ({ fields }: Command, flags: Record<string, string | string[] | boolean | undefined>) =>
  Object.fromEntries(
    fields.flatMap(({ name, flag: flagName, type }) => {
      const value = flags[flagName];
      if (value === undefined) return [];
      if (Array.isArray(value)) return [[name, value.flatMap((one) => one.split(',')).filter((one) => one !== '')]];
      return [[name, readValue(`--${flagName}`, type, String(value))]];
    }),
  );

const readValue = (where: string, type: string, value: string): unknown => {
  switch (type) {
    case 'number':
      if (value.trim() === '' || Number.isNaN(Number(value))) throw new UsageError(`${where} must be a number`);
      return Number(value);
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw new UsageError(`${where} must be true or false`);
      return value === 'true';
    case 'json':
      return jsonIn(where, value.startsWith('@') ? fileAt(value.slice(1)) : value);
    default:
      return value;
  }
};

const upload = async (args: readonly string[], env: Environment): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: { ...common, file: text, alt: text, address: text } });
  if (values.help || (values.file === undefined) === (values.address === undefined)) {
    console.log('posthorn call media.upload --file <path> | --address <https://…> [--alt <text>]');
    return values.help ? 0 : 2;
  }
  const { openAsBlob } = await import('node:fs');
  const { MediaUploads } = await import('#packages/sdk/src/media');
  const { http, callOptions } = open(values, env);
  const media = new MediaUploads(http);
  const { alt, file, address } = values;
  if (address !== undefined) print(await media.uploadFromUrl(address, { ...callOptions, alt }), values.compact);
  else if (file !== undefined) {
    const blob = await openAsBlob(file).catch((cause: Error) => {
      throw new UsageError(`${file} cannot be read: ${cause.message}`);
    });
    const filename = file.split(/[/\\]/).at(-1);
    print(await media.upload(blob, { ...callOptions, alt, filename }), values.compact);
  }
  return 0;
};

const whoAmI = async (args: readonly string[], env: Environment): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: common });
  const { readCaller } = await import('#packages/sdk/src/who-am-i');
  const { http, callOptions } = open(values, env);
  const catalog = http.call({ method: 'GET', path: '/api/agent/tools', retry: 'Always' }, callOptions);
  print(readCaller((await catalog.withResponse()).response.headers), values.compact);
  return 0;
};

const profile = ([verb, name, ...args]: readonly string[], env: Environment): number => {
  if (verb === 'list') {
    print(listProfiles(env));
    return 0;
  }
  if (verb === 'remove' && name !== undefined) {
    removeProfile(env, name);
    return 0;
  }
  const { values } = parseArgs({ args: [...args], options: { url: text, token: text } });
  if (verb !== 'set' || name === undefined || !values.url || !values.token) throw new UsageError(profileHelp);
  saveProfile(env, name, { url: values.url, token: values.token === '-' ? standardInput().trim() : values.token });
  return 0;
};

const printCompletion = ([shell]: readonly string[]): number => {
  if (shell !== 'bash' && shell !== 'zsh' && shell !== 'fish')
    throw new UsageError('posthorn completion bash | zsh | fish. For example: source <(posthorn completion bash)');
  console.log(completion(shell, commands, Object.keys(common)));
  return 0;
};
