import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Environment, UsageError } from './command.ts';

export interface Profile {
  readonly url: string;
  readonly token: string;
}

type Profiles = Readonly<Record<string, Profile>>;

const fileOf = ({ XDG_CONFIG_HOME, HOME, APPDATA }: Environment) =>
  join(XDG_CONFIG_HOME || APPDATA || join(HOME ?? '.', '.config'), 'posthorn', 'profiles.json');

const readAll = (env: Environment): Profiles => {
  try {
    return JSON.parse(readFileSync(fileOf(env), 'utf8')) as Profiles;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new UsageError(`${fileOf(env)} cannot be read: ${(error as Error).message}`);
  }
};

/** Contains tokens, so only the user can read it. Renamed into place. */
const writeAll = (env: Environment, profiles: Profiles) => {
  const file = fileOf(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  chmodSync(`${file}.${process.pid}`, 0o600);
  renameSync(`${file}.${process.pid}`, file);
};

/** The profile of this name, or the one named default. */
export const readProfile = (env: Environment, name: string | undefined): Profile | undefined => {
  const profiles = readAll(env);
  const profile = Object.hasOwn(profiles, name ?? 'default') ? profiles[name ?? 'default'] : undefined;
  if (name !== undefined && profile === undefined) {
    const names = Object.keys(profiles).join(', ') || 'none';
    throw new UsageError(`There is no profile ${name}. There are: ${names}.`);
  }
  return profile;
};

export const saveProfile = (env: Environment, name: string, profile: Profile) => {
  if (!/^https?:\/\//.test(profile.url)) throw new UsageError('--url must begin with https://');
  writeAll(env, { ...readAll(env), [name]: profile });
};

export const removeProfile = (env: Environment, name: string) => {
  const { [name]: removed, ...others } = readAll(env);
  if (removed === undefined) throw new UsageError(`There is no profile ${name}.`);
  writeAll(env, others);
};

/** Without the tokens. */
export const listProfiles = (env: Environment) =>
  Object.entries(readAll(env)).map(([name, { url }]) => ({ name, url }));
