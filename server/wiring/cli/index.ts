import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Config } from '#server/base/config/config';
import type { Command } from './command.ts';
import { help, helpFor } from './help.ts';

/** Imported on demand, so that a command loads only what it needs. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).start,
  setup: async () => (await import('./setup.ts')).setup,
  demo: async () => (await import('./demo.ts')).demo,
  link: async () => (await import('./link.ts')).link,
  'user list': async () => (await import('./user.ts')).listUsers,
  'user reset': async () => (await import('./user.ts')).resetPassword,
  'user sign-out': async () => (await import('./user.ts')).signOutUser,
  'user delete': async () => (await import('./user.ts')).deleteUser,
  logs: async () => (await import('./logs.ts')).logs,
  doctor: async () => (await import('./doctor.ts')).doctor,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./backup.ts')).restore,
  'token create': async () => (await import('./token.ts')).createToken,
  'token list': async () => (await import('./token.ts')).listTokens,
  'token revoke': async () => (await import('./token.ts')).revokeToken,
  'account add': async () => (await import('./account.ts')).addAccount,
  import: async () => (await import('./import.ts')).importFile,
  'plan show': async () => (await import('./plan.ts')).showPlan,
  'plan set': async () => (await import('./plan.ts')).setPlan,
  'keys generate': async () => (await import('./keys.ts')).generateKey,
  'keys rotate': async () => (await import('./keys.ts')).rotateKeys,
  'keys discard-lost': async () => (await import('./keys.ts')).discardLost,
  verify: async () => (await import('./verify.ts')).verifyReceipts,
  listen: async () => (await import('./listen.ts')).listen,
  jobs: async () => (await import('./jobs.ts')).jobs,
  clock: async () => (await import('./clock.ts')).clock,
};

/** These start or fill an installation of their own, so they never use that of a running instance. */
const ownInstallation = ['start', 'restore'];
/** These read and write nothing of an installation. */
const noInstallation = ['logs', 'keys generate'];
/** These may create an installation. `doctor` reports itself that there is none. */
const withoutInstallation = [...ownInstallation, ...noInstallation, 'setup', 'demo', 'doctor'];

const text = { type: 'string' } as const;

const main = async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      email: text,
      password: text,
      workspace: text,
      'token-name': text,
      network: text,
      name: text,
      handle: text,
      role: text,
      plan: text,
      forward: text,
      id: text,
      key: text,
      head: text,
      chain: { type: 'boolean' },
      file: text,
      'time-zone': text,
      save: { type: 'boolean' },
      unmatched: { type: 'boolean' },
      duplicates: { type: 'boolean' },
      again: { type: 'boolean' },
      'with-keys': { type: 'boolean' },
      verify: { type: 'boolean' },
      all: { type: 'boolean' },
      fix: { type: 'boolean' },
      yes: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
  const { help: wantsHelp, version: wantsVersion, ...optionValues } = values;
  if (wantsVersion) {
    const { packageVersion } = await import('#server/base/config/config');
    console.log(packageVersion);
    return;
  }
  const options = Object.fromEntries(
    Object.entries(optionValues).map(([name, value]) => [name, value === true ? '' : String(value)]),
  );
  const [first = '', second] = positionals;
  const isPair = `${first} ${second}` in commands;
  const name = isPair ? `${first} ${second}` : first;
  const command = commands[name];
  if (wantsHelp || command === undefined) {
    console.log(wantsHelp ? helpFor(first) : help);
    process.exitCode = wantsHelp ? 0 : 2;
    return;
  }
  const { readConfig } = await import('#server/base/config/config');
  const config = readConfig();
  const run = await command();
  // Receipts in a file are checked without an installation.
  const isOffline = (first === 'verify' && options.workspace === undefined) || noInstallation.includes(name);
  const chosen = ownInstallation.includes(first) || isOffline ? config : await chooseInstallation(config);
  if (!isOffline && !withoutInstallation.includes(name)) await mustExist(chosen);
  await run(chosen, options, positionals.slice(isPair ? 2 : 1));
};

/** With wrong settings a command would create a second, empty installation and report on that one. */
const mustExist = async (config: Config) => {
  const { databaseFolder, SettingError } = await import('#server/base/config/config');
  const { hasCluster } = await import('#server/base/store/embedded');
  if (config.databaseUrl !== undefined || hasCluster(databaseFolder(config))) return;
  throw new SettingError(
    `There is no Posthorn in ${config.dataDir}, and DATABASE_URL is not set. Give this command the settings of the service (POSTHORN_DATA or DATABASE_URL), or make an installation with \`posthorn start\`.`,
  );
};

/**
 * In a second terminal the settings of the first are missing. The command then uses the data folder of the running
 * instance.
 */
const chooseInstallation = async (config: Config): Promise<Config> => {
  const { findRunning, runningIn } = await import('#server/operation/startup/running-instances');
  if (config.databaseUrl !== undefined || config.isDataDirSet || runningIn(config.dataDir).length > 0) return config;
  const all = findRunning(config);
  const [only, ...others] = all;
  if (only === undefined) return config;
  const running = all.map(({ url, dataDir }) => `${url} with POSTHORN_DATA=${dataDir}`).join(', ');
  if (existsSync(config.dataDir)) {
    console.error(`Using ${config.dataDir}, which no running Posthorn uses. Running: ${running}.`);
    return config;
  }
  if (others.length > 0 || !only.embedded) {
    const { SettingError } = await import('#server/base/config/config');
    throw new SettingError(
      `Give this command the settings of the Posthorn that you mean${only.embedded ? '' : ', DATABASE_URL too'}. Running: ${running}.`,
    );
  }
  console.error(`Using ${only.dataDir}, the data folder of the Posthorn at ${only.url}.`);
  return { ...config, dataDir: only.dataDir, baseUrl: config.isBaseUrlSet ? config.baseUrl : only.url };
};

main().catch(async (error: Error & { code?: string }) => {
  const { SettingError } = await import('#server/base/config/config');
  const { Refusal } = await import('#server/base/errors');
  const expected =
    error instanceof SettingError || error instanceof Refusal || error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(expected ? error.message : error);
  process.exit(1);
});
