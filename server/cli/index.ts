import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Config } from '#server/config/config';
import type { Command } from './command.ts';
import { help } from './help.ts';

/** Each is loaded when it runs, with what it needs and nothing else. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).start,
  setup: async () => (await import('./setup.ts')).setup,
  demo: async () => (await import('./demo.ts')).demo,
  link: async () => (await import('./link.ts')).link,
  'user list': async () => (await import('./user.ts')).listUsers,
  'user reset': async () => (await import('./user.ts')).resetPassword,
  'user sign-out': async () => (await import('./user.ts')).signOutUser,
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
  'keys rotate': async () => (await import('./keys.ts')).rotateKeys,
  'keys discard-lost': async () => (await import('./keys.ts')).discardLost,
  jobs: async () => (await import('./jobs.ts')).jobs,
  clock: async () => (await import('./clock.ts')).clock,
};

/** These make a service, so none that runs is meant. */
const aboutItself = ['start', 'restore'];
/** These may make an installation. `doctor` says itself that there is none, and `logs` needs none. */
const withoutInstallation = [...aboutItself, 'setup', 'demo', 'doctor', 'logs'];

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
      file: text,
      'time-zone': text,
      save: { type: 'boolean' },
      unmatched: { type: 'boolean' },
      duplicates: { type: 'boolean' },
      again: { type: 'boolean' },
      'with-keys': { type: 'boolean' },
      all: { type: 'boolean' },
      fix: { type: 'boolean' },
      yes: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
  const { help: wantsHelp, version: wantsVersion, ...given } = values;
  if (wantsVersion) {
    const { packageVersion } = await import('#server/config/config');
    console.log(packageVersion);
    return;
  }
  const options = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value === true ? '' : String(value)]),
  );
  const [first = '', second] = positionals;
  const isPair = `${first} ${second}` in commands;
  const command = commands[isPair ? `${first} ${second}` : first];
  if (wantsHelp || command === undefined) {
    console.log(help);
    process.exitCode = wantsHelp ? 0 : 2;
    return;
  }
  const { readConfig } = await import('#server/config/config');
  const config = readConfig();
  const run = await command();
  const chosen = aboutItself.includes(first) ? config : await meant(config);
  if (!withoutInstallation.includes(first)) await mustExist(chosen);
  await run(chosen, options, positionals.slice(isPair ? 2 : 1));
};

/** A command with the wrong settings would make a second, empty installation and answer for that. */
const mustExist = async (config: Config) => {
  const { databaseFolder, SettingError } = await import('#server/config/config');
  const { hasCluster } = await import('#server/store/embedded');
  if (config.databaseUrl !== undefined || hasCluster(databaseFolder(config))) return;
  throw new SettingError(
    `There is no Posthorn in ${config.dataDir}, and DATABASE_URL is not set. Give this command the settings of the service (POSTHORN_DATA or DATABASE_URL), or make an installation with \`posthorn start\`.`,
  );
};

/** In a second terminal, without the settings of the first, the running instance is meant and not a folder that is not there. */
const meant = async (config: Config): Promise<Config> => {
  const { findRunning, runningIn } = await import('#server/startup/running-instances');
  if (config.databaseUrl !== undefined || config.isDataDirSet || runningIn(config.dataDir).length > 0) return config;
  const all = findRunning();
  const [only, ...others] = all;
  if (only === undefined) return config;
  const known = all.map(({ url, dataDir }) => `${url} with POSTHORN_DATA=${dataDir}`).join(', ');
  if (existsSync(config.dataDir)) {
    console.error(`Using ${config.dataDir}, which no running Posthorn uses. There runs: ${known}.`);
    return config;
  }
  if (others.length > 0 || !only.embedded) {
    const { SettingError } = await import('#server/config/config');
    throw new SettingError(
      `Give this command the settings of the Posthorn that you mean${only.embedded ? '' : ', DATABASE_URL too'}. There runs: ${known}.`,
    );
  }
  console.error(`Using ${only.dataDir}, the data folder of the Posthorn at ${only.url}.`);
  return { ...config, dataDir: only.dataDir, baseUrl: config.isBaseUrlSet ? config.baseUrl : only.url };
};

main().catch(async (error: Error & { code?: string }) => {
  const { SettingError } = await import('#server/config/config');
  const { Refusal } = await import('#server/errors');
  const expected =
    error instanceof SettingError || error instanceof Refusal || error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(expected ? error.message : error);
  process.exit(1);
});
