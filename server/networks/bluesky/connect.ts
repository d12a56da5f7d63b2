import { z } from 'zod';
import { isUrl } from '#contracts/is-url';
import type { FormConnect, NetworkAccount, Profile, Site, Tokens } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask, troubleOf } from './api.ts';

const accessLifeMs = 2 * 3_600_000;
const usualServers = ['', 'bsky.social', 'bsky.app'];

const Session = z.object({
  did: z.string().startsWith('did:'),
  handle: z.string(),
  accessJwt: z.string().min(1),
  refreshJwt: z.string().min(1),
  active: z.boolean().optional(),
  status: z.string().optional(),
  didDoc: z
    .object({ service: z.array(z.object({ id: z.string(), serviceEndpoint: z.unknown() })) })
    .optional()
    .catch(undefined),
});
type Session = z.output<typeof Session>;

export const connect: FormConnect = {
  kind: 'Form',
  fields: [
    {
      name: 'handle',
      label: 'Handle',
      hint: 'As in anna.bsky.social, your own domain, or a DID.',
      secret: false,
    },
    {
      name: 'password',
      label: 'App password',
      hint: 'Not your own password: make one on Bluesky in Settings, Privacy and security, App passwords.',
      secret: true,
    },
    {
      name: 'server',
      label: 'Server',
      hint: 'Only if your account is not on Bluesky itself: the address of its server, as in https://pds.example.com.',
      secret: false,
      byDefault: '',
    },
  ],
  signIn: async (site, { handle = '', password = '', server = '' }) => {
    const entry = entryOf(site, server);
    const domain = entry === site.host('pds') ? 'bsky.social' : new URL(entry).hostname;
    const answer = await site.request({
      url: `${entry}/xrpc/com.atproto.server.createSession`,
      json: { identifier: identifierOf(handle, domain), password: password.trim() },
    });
    if (answer.status >= 400) throw signInTrouble(troubleOf(answer, site.now()), entry);
    const session = shaped(Session, answer);
    if (session.active === false) {
      throw new NetworkTrouble(
        'permission',
        `The account cannot post, Bluesky says it is ${session.status ?? 'not active'}: make it active again first.`,
        { ...(session.status && { networkCode: session.status }) },
      );
    }
    const home = { ...site, server: serverOf(session) ?? entry };
    const tokens = tokensOf(site, session);
    const scope = claimsOf(session.accessJwt).scope;
    return [
      {
        id: session.did,
        ...(await readProfile(home, { id: session.did, tokens })),
        tokens,
        scopes: scope === undefined ? [] : [scope],
        server: home.server,
      },
    ];
  },
};

const entryOf = (site: Site, typed: string): string => {
  const address = typed.trim().replace(/\/+$/, '');
  if (usualServers.includes(address.replace(/^https:\/\//, '').toLowerCase())) return site.host('pds');
  const url = /^https?:\/\//.test(address) ? address : `https://${address}`;
  if (isUrl(url)) return url;
  throw new NetworkTrouble('content', `${address} is not the address of a server, as https://pds.example.com is.`);
};

/**
 * Handles are often pasted with an @, or with invisible marks around them. A name without a dot belongs to the server's
 * domain.
 */
const identifierOf = (typed: string, domain: string): string => {
  const handle = typed.replace(/[\p{Cf}\s]/gu, '').replace(/^@/, '');
  if (handle.startsWith('did:')) return handle;
  return (handle.includes('.') ? handle : `${handle}.${domain}`).toLowerCase();
};

/** Without an error name the answer came from another program, such as a proxy. */
const isOfAnother = ({ networkCode = '' }: NetworkTrouble) => /^\d+$/.test(networkCode);

const signInTrouble = (trouble: NetworkTrouble, entry: string): NetworkTrouble => {
  const { kind, networkCode = '' } = trouble;
  if (kind === 'rateLimited' || kind === 'temporary' || networkCode === 'AccountTakedown') return trouble;
  if (networkCode === 'AuthFactorTokenRequired') {
    return new NetworkTrouble(
      'token',
      'This is the password of the account itself, which also needs a code. Create an app password on Bluesky and use that.',
      { networkCode },
    );
  }
  if (isOfAnother(trouble)) {
    return new NetworkTrouble('content', `${entry} is not a server of the AT Protocol: check the server.`, {
      networkCode,
    });
  }
  return new NetworkTrouble(
    'token',
    'Bluesky did not accept this handle and app password. Check both, and the server.',
    {
      networkCode,
    },
  );
};

/** Bluesky itself is many servers; calls go to the one that keeps the account. */
const serverOf = ({ didDoc }: Session): string | undefined => {
  const endpoint = didDoc?.service.find(({ id }) => id.endsWith('#atproto_pds'))?.serviceEndpoint;
  return typeof endpoint === 'string' && isUrl(endpoint) ? endpoint.replace(/\/+$/, '') : undefined;
};

/** The year 2100: a later one is no date. */
const latest = 4_102_444_800;

const Claims = z.object({ exp: z.number().max(latest).optional(), scope: z.string().optional() });

/** Servers may give tokens of another form. */
const claimsOf = (token: string): z.output<typeof Claims> => {
  try {
    return Claims.parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()));
  } catch {
    return {};
  }
};

const tokensOf = (site: Site, { accessJwt, refreshJwt }: Pick<Session, 'accessJwt' | 'refreshJwt'>): Tokens => {
  const { exp } = claimsOf(accessJwt);
  const endMs = exp === undefined ? site.now().getTime() + accessLifeMs : exp * 1000;
  return { accessToken: accessJwt, refreshToken: refreshJwt, expiresAt: new Date(endMs).toISOString() };
};

export const refresh = async (site: Site, { tokens }: NetworkAccount): Promise<Tokens> => {
  const answer = await site.request({
    method: 'POST',
    url: `${site.server}/xrpc/com.atproto.server.refreshSession`,
    headers: { authorization: `Bearer ${tokens.refreshToken ?? ''}` },
  });
  const trouble = answer.status >= 400 ? troubleOf(answer, site.now()) : undefined;
  if (trouble?.kind === 'rateLimited' || trouble?.kind === 'temporary') throw trouble;
  if (trouble && isOfAnother(trouble) && answer.status !== 401) {
    throw new NetworkTrouble('temporary', 'A proxy or firewall answered instead of the server. Try again later.', {
      networkCode: String(answer.status),
    });
  }
  if (trouble) {
    throw new NetworkTrouble('token', `${trouble.message} Connect the account again.`, {
      ...(trouble.networkCode && { networkCode: trouble.networkCode }),
    });
  }
  return tokensOf(site, shaped(Session.pick({ accessJwt: true, refreshJwt: true }), answer));
};

/** The refresh token ends at once; servers accept the access token until its two hours are over. */
export const revoke = async (site: Site, { tokens }: NetworkAccount): Promise<void> => {
  const answer = await site.request({
    method: 'POST',
    url: `${site.server}/xrpc/com.atproto.server.deleteSession`,
    headers: { authorization: `Bearer ${tokens.refreshToken ?? ''}` },
  });
  if (answer.status >= 400) throw troubleOf(answer, site.now());
};

const ProfileAnswer = z.object({
  handle: z.string(),
  displayName: z.string().optional(),
  avatar: z.string().optional(),
});

const readProfile = async (site: Site, { id, tokens }: Pick<NetworkAccount, 'id' | 'tokens'>): Promise<Profile> => {
  const answer = await ask(site, { tokens }, { call: 'app.bsky.actor.getProfile', query: { actor: id } });
  const { handle, displayName, avatar } = shaped(ProfileAnswer, answer);
  return { name: displayName || handle, handle, ...(avatar && { avatarUrl: avatar }), facts: null };
};

export const profile = (site: Site, account: NetworkAccount): Promise<Profile> => readProfile(site, account);
