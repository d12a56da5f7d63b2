import { z } from 'zod';
import { googleConnect } from '#server/networks/families/google/api';
import type { Json, NetworkAccount, Profile, Site, Tokens } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';

export const scopes = ['https://www.googleapis.com/auth/business.manage'];
/** Reads the whole metadata: when only one field is requested, false and unknown look the same. */
const readMask = 'name,title,storeCode,metadata';

const Location = z.object({
  name: z.string(),
  title: z.string(),
  storeCode: z.string().optional(),
  // Google leaves out what is false.
  metadata: z.object({ canOperateLocalPost: z.boolean().default(false) }).optional(),
});
type Location = z.output<typeof Location>;

const nextPageToken = z.string().optional();
const Accounts = z.object({ accounts: z.array(z.object({ name: z.string() })).default([]), nextPageToken });
const Locations = z.object({ locations: z.array(Location).default([]), nextPageToken });

/** A chain gives all its locations one title, so the store code tells them apart where there is one. */
const profileOf = ({ title, storeCode, metadata }: Location): Profile => {
  const canPost = metadata?.canOperateLocalPost ?? true;
  return {
    name: canPost ? title : `${title} (accepts no posts)`,
    handle: storeCode || title,
    facts: { canPost },
  };
};

const Facts = z.object({ canPost: z.boolean() });

/** Google accepts posts only for some kinds of business. */
export const takesNoPosts = (facts: Json | undefined): boolean => Facts.safeParse(facts).data?.canPost === false;

/** Every location that the person manages is an account of its own. */
const readLocations = async (site: Site, tokens: Tokens) => {
  const profiles: (Profile & { id: string })[] = [];
  for await (const { accounts } of pages((pageToken) => readAccounts(site, tokens, pageToken))) {
    for (const { name } of accounts) {
      for await (const { locations } of pages((pageToken) => readLocationsOf(site, tokens, name, pageToken))) {
        profiles.push(...locations.map((location) => ({ id: `${name}/${location.name}`, ...profileOf(location) })));
      }
    }
  }
  if (profiles.length > 0) return profiles;
  throw new NetworkTrouble(
    'permission',
    'This Google account manages no business location. Ask an owner to add it as a manager, then connect again.',
  );
};

const readAccounts = async (site: Site, tokens: Tokens, pageToken: string | undefined) =>
  shaped(
    Accounts,
    await ask(site, { tokens }, { host: 'management', path: '/v1/accounts', query: { pageSize: 20, pageToken } }),
  );

const readLocationsOf = async (site: Site, tokens: Tokens, account: string, pageToken: string | undefined) =>
  shaped(
    Locations,
    await ask(
      site,
      { tokens },
      { host: 'information', path: `/v1/${account}/locations`, query: { readMask, pageSize: 100, pageToken } },
    ),
  );

/** Upper bound for the pages of a list; nobody manages that many. */
const mostPages = 50;

async function* pages<Page extends { nextPageToken?: string | undefined }>(
  read: (pageToken: string | undefined) => Promise<Page>,
) {
  let token: string | undefined;
  for (let count = 0; count < mostPages; count++) {
    const page = await read(token);
    yield page;
    token = page.nextPageToken || undefined;
    if (token === undefined) return;
  }
}

export const connect = googleConnect(scopes, readLocations);

export const profile = async (site: Site, account: NetworkAccount): Promise<Profile> => {
  const location = account.id.slice(account.id.indexOf('locations/'));
  const request = { host: 'information', path: `/v1/${location}`, query: { readMask } } as const;
  return profileOf(shaped(Location, await ask(site, account, request)));
};
