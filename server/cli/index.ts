import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Config, readConfig, SettingError } from '#server/config';
import { Refusal } from '#server/errors';
import { findRunning, runningIn } from '#server/instances';
import { addAccount } from './account.ts';
import { backup, restore } from './backup.ts';
import { clock } from './clock.ts';
import type { Command } from './command.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { help } from './help.ts';
import { importFile } from './import.ts';
import { jobs } from './jobs.ts';
import { link } from './link.ts';
import { logs } from './logs.ts';
import { setPlan, showPlan } from './plan.ts';
import { setup } from './setup.ts';
import { start } from './start.ts';
import { createToken, listTokens, revokeToken } from './token.ts';
import { listUsers, resetPassword, signOutUser } from './user.ts';

// A command imports the service when it runs, so that printing the help loads none of it.
const commands: Readonly<Record<string, Command>> = {
  start,
  setup,
  demo,
  link,
  'user list': listUsers,
  'user reset': resetPassword,
  'user sign-out': signOutUser,
  logs,
  doctor,
  backup,
  restore,
  'token create': createToken,
  'token list': listTokens,
  'token revoke': revokeToken,
  'account add': addAccount,
  import: importFile,
  'plan show': showPlan,
  'plan set': setPlan,
  jobs,
  clock,
};

/** These make a service, so none that runs is meant. */
const aboutItself = ['start', 'restore'];

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
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { help: wantsHelp, ...given } = values;
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
  const config = readConfig();
  await command(aboutItself.includes(first) ? config : meant(config), options, positionals.slice(isPair ? 2 : 1));
};

/** In a second terminal, without the settings of the first, the running instance is meant and not a folder that is not there. */
const meant = (config: Config): Config => {
  if (config.databaseUrl !== undefined || config.dataDirGiven || runningIn(config.dataDir).length > 0) return config;
  const all = findRunning();
  const [only, ...others] = all;
  if (only === undefined) return config;
  const known = all.map(({ url, dataDir }) => `${url} with POSTHORN_DATA=${dataDir}`).join(', ');
  if (existsSync(config.dataDir)) {
    console.error(`Using ${config.dataDir}, which no running Posthorn uses. There runs: ${known}.`);
    return config;
  }
  if (others.length > 0 || !only.embedded) {
    throw new SettingError(
      `Give this command the settings of the Posthorn that you mean${only.embedded ? '' : ', DATABASE_URL too'}. There runs: ${known}.`,
    );
  }
  console.error(`Using ${only.dataDir}, the data folder of the Posthorn at ${only.url}.`);
  return { ...config, dataDir: only.dataDir, baseUrl: config.baseUrlGiven ? config.baseUrl : only.url };
};

main().catch((error: Error & { code?: string }) => {
  const expected =
    error instanceof SettingError || error instanceof Refusal || error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(expected ? error.message : error);
  process.exit(1);
});
