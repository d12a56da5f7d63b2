import { dayMs } from '#contracts/time';
import { isPublicAddress } from '#server/base/config/config';
import { answerWithin, NoAnswer } from '#server/base/health/answer-within';
import { type Check, checksNamed } from '#server/base/health/check';
import type { Network, Site } from './network.ts';
import { checkCredentials, checkVersionFormat } from './settings-check.ts';
import { asTrouble, whatHappened } from './trouble.ts';

export interface Examined {
  readonly network: string;
  readonly name: string;
  /** Whether accounts are connected on the real network, and not on its sandbox. */
  readonly live: boolean;
  readonly redirectUri?: string;
  readonly scopes: readonly string[];
  readonly checks: readonly Check[];
}

const warnDays = 60;

/** The checks of `doctor` for a network: settings, redirect address, permissions, API version and credentials. */
export const examineNetwork = async (
  network: Network,
  {
    site,
    isLive,
    production,
    baseUrl,
    setting,
  }: {
    /** The real network, with the operator's credentials. */
    site: Site;
    isLive: boolean;
    production: boolean;
    baseUrl: string;
    setting: (name: string) => string | undefined;
  },
): Promise<Examined> => {
  const { key, name, connect, app } = network;
  const redirectUri = `${baseUrl}/connect/${key}/callback`;
  const isRegistered = network.settings.length > 0;
  return {
    network: key,
    name,
    live: isLive,
    ...(connect.kind === 'OAuth' && { redirectUri }),
    scopes: app.scopes,
    checks: [
      settingsOf(network, setting, production),
      ...(isRegistered ? [redirectOf(name, redirectUri)] : []),
      checksNamed(name).note(`People are asked for ${app.scopes.join(', ')}`),
      ...app.needs.map((need) => checksNamed(name).note(`Needed at ${name}: ${need}`)),
      ...mediaOf(network, baseUrl, isLive),
      versionOf(network, site),
      ...(isLive && isRegistered ? [await credentialsOf(network, site, redirectUri)] : []),
    ],
  };
};

const settingsOf = (network: Network, setting: (name: string) => string | undefined, production: boolean): Check => {
  const { name, settings, connect } = network;
  const checks = checksNamed(name);
  if (settings.length === 0) {
    const why =
      connect.kind === 'ServerOAuth' ? 'Posthorn registers by itself at each server' : 'people sign in with a password';
    return checks.ok(`${name} needs no settings: ${why}`);
  }
  const isMissing = settings.some((one) => setting(one) === undefined);
  if (!isMissing) return checks.ok(`${settings.join(' and ')} are set`);
  const until = production ? `${name} is left out` : `${name} is a sandbox`;
  return (
    checkCredentials(network, setting) ?? checks.note(`${until}: for the real network set ${settings.join(' and ')}`)
  );
};

const redirectOf = (name: string, redirectUri: string): Check =>
  checksNamed(name).note(
    redirectUri.startsWith('https:')
      ? `Register exactly this redirect address: ${redirectUri}`
      : `Register exactly this redirect address: ${redirectUri}. Most networks accept only https: set BASE_URL to an https address`,
  );

const mediaOf = ({ name, constraints, app }: Network, baseUrl: string, isLive: boolean): Check[] => {
  const what = constraints.media.transport === 'PublicUrl' ? 'Media' : app.fetches;
  if (what === undefined) return [];
  const checks = checksNamed(name);
  if (isPublicAddress(baseUrl)) return [checks.ok(`${what} can be fetched by ${name} from ${baseUrl}`)];
  const message = `${what} cannot be fetched by ${name} from ${baseUrl}: set BASE_URL to an https address that everybody reaches.`;
  return [isLive ? checks.failure(message) : checks.note(message)];
};

/** Whether the API version in use is still supported, by the service's clock. */
export const versionOf = (network: Network, site: Pick<Site, 'setting' | 'now'>): Check => {
  const { name, app } = network;
  const checks = checksNamed(name);
  const wrong = checkVersionFormat(network, (setting) => site.setting(setting, '') || undefined);
  if (wrong) return wrong;
  const { version, endsOn, setting } = app.api(site);
  if (version === undefined) return checks.ok(`${name}'s API is not versioned`);
  const versionName = `Version ${version} of ${name}'s API`;
  if (endsOn === undefined) return checks.ok(`${versionName}: no end is known`);
  const next = setting ? `set ${setting} to a newer one` : 'update Posthorn';
  const daysLeft = (Date.parse(endsOn) - site.now().getTime()) / dayMs;
  if (daysLeft <= 0)
    return checks.failure(`${versionName} may stop working any day, its announced end was ${endsOn}: ${next}.`);
  if (daysLeft <= warnDays) {
    return checks.warning(`${versionName} ends on ${endsOn}, in ${Math.ceil(daysLeft)} days: ${next}.`);
  }
  return checks.ok(`${versionName} works until ${endsOn}`);
};

const credentialsOf = async (network: Network, site: Site, redirectUri: string): Promise<Check> => {
  const { name, settings, app } = network;
  const checks = checksNamed(name);
  if (app.tryCredentials === undefined) return checks.note(`${name} has no way to try credentials`);
  try {
    const tryThem = app.tryCredentials;
    const result = await answerWithin(() => tryThem(site, redirectUri));
    if (result.is === 'accepted') return checks.ok(`${name} knows the app and its secret`);
    const answer = result.said.replace(/\.$/, '');
    if (result.is === 'unclear') {
      return checks.note(
        `${name} does not say whether the credentials are right (${answer}); connect an account to see`,
      );
    }
    return checks.failure(
      `${name} does not know this app and secret (${answer}): copy ${settings.join(' and ')} again, and restart.`,
    );
  } catch (error) {
    const why = error instanceof NoAnswer ? `${name} gives ${error.message}.` : whatHappened(asTrouble(error), network);
    return checks.warning(`The credentials could not be tried. ${why} Run doctor again.`);
  }
};
