import { isPublicAddress } from '#server/config';
import type { Network, Site } from './network.ts';
import { asTrouble, whatHappened } from './trouble.ts';

/** Something that `doctor` says. What is missing keeps a part of the service from working. */
export interface Finding {
  readonly is: 'ok' | 'note' | 'missing';
  readonly text: string;
}

export interface Examined {
  readonly network: string;
  readonly name: string;
  /** Whether accounts are connected on the real network, and not on its sandbox. */
  readonly live: boolean;
  readonly redirectUri?: string;
  readonly scopes: readonly string[];
  readonly findings: readonly Finding[];
}

const dayMs = 24 * 3_600_000;
const warnDays = 60;

/** What an operator has to know about a network: what is set and missing, what to register, whether it is taken. */
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
    findings: [
      settingsOf(network, setting, production),
      ...(isRegistered ? [redirectOf(redirectUri)] : []),
      { is: 'note', text: `People are asked for ${app.scopes.join(', ')}` },
      ...app.needs.map((need) => ({ is: 'note', text: `Needed at ${name}: ${need}` }) as const),
      ...mediaOf(network, baseUrl, isLive),
      versionOf(network, site),
      ...(isLive && isRegistered ? [await credentialsOf(network, site, redirectUri)] : []),
    ],
  };
};

const settingsOf = (
  { name, settings, connect }: Network,
  setting: (name: string) => string | undefined,
  production: boolean,
): Finding => {
  const missing = settings.filter((one) => setting(one) === undefined);
  if (settings.length === 0) {
    const why =
      connect.kind === 'ServerOAuth' ? 'Posthorn registers by itself at each server' : 'people sign in with a password';
    return { is: 'ok', text: `${name} needs no settings: ${why}` };
  }
  if (missing.length === 0) return { is: 'ok', text: `${settings.join(' and ')} are set` };
  const until = production ? `${name} is left out` : `${name} is a sandbox`;
  const text = `${until}: for the real network set ${missing.join(' and ')}`;
  return missing.length === settings.length
    ? { is: 'note', text }
    : { is: 'missing', text: `${text} too, or none of ${settings.join(' and ')}.` };
};

const redirectOf = (redirectUri: string): Finding => ({
  is: 'note',
  text: redirectUri.startsWith('https:')
    ? `The redirect address to register is ${redirectUri}, to the letter`
    : `The redirect address to register is ${redirectUri}, to the letter; most networks take https alone, so set BASE_URL`,
});

const mediaOf = ({ name, constraints, app }: Network, baseUrl: string, isLive: boolean): Finding[] => {
  const what = constraints.media.transport === 'PublicUrl' ? 'Media' : app.fetches;
  if (what === undefined) return [];
  if (isPublicAddress(baseUrl)) return [{ is: 'ok', text: `${what} can be fetched by ${name} from ${baseUrl}` }];
  const text = `${what} cannot be fetched by ${name} from ${baseUrl}: set BASE_URL to an https address that everybody reaches`;
  return [isLive ? { is: 'missing', text: `${text}.` } : { is: 'note', text }];
};

/** Whether the version that is spoken lives on, by the clock of the service. */
export const versionOf = ({ name, app }: Network, site: Pick<Site, 'setting' | 'now'>): Finding => {
  const { version, endsOn, setting } = app.api(site);
  if (version === undefined) return { is: 'ok', text: `${name}'s API has no versions that could end` };
  const spoken = `Version ${version} of ${name}'s API`;
  if (endsOn === undefined) return { is: 'ok', text: `${spoken}: no end is known` };
  const next = setting ? `set ${setting} to a newer one` : 'update Posthorn';
  const daysLeft = (Date.parse(endsOn) - site.now().getTime()) / dayMs;
  if (daysLeft <= 0) return { is: 'missing', text: `${spoken} has ended on ${endsOn}, or may any day: ${next}.` };
  if (daysLeft <= warnDays)
    return { is: 'note', text: `${spoken} ends on ${endsOn}, in ${Math.ceil(daysLeft)} days: ${next}` };
  return { is: 'ok', text: `${spoken} lives until ${endsOn}` };
};

const credentialsOf = async (network: Network, site: Site, redirectUri: string): Promise<Finding> => {
  const { name, settings, app } = network;
  if (app.tryCredentials === undefined) return { is: 'note', text: `${name} has no way to try credentials` };
  try {
    const tried = await app.tryCredentials(site, redirectUri);
    if (tried.is === 'accepted') return { is: 'ok', text: `${name} knows the app and its secret` };
    const said = tried.said.replace(/\.$/, '');
    if (tried.is === 'unclear') {
      return {
        is: 'note',
        text: `${name} does not say whether the credentials are right (${said}); connect an account to see`,
      };
    }
    const text = `${name} does not know this app and secret (${said}): copy ${settings.join(' and ')} again, and restart.`;
    return { is: 'missing', text };
  } catch (error) {
    const trouble = asTrouble(error, () => undefined);
    return {
      is: 'note',
      text: `The credentials could not be tried. ${whatHappened(trouble, network)} Run doctor again`,
    };
  }
};
