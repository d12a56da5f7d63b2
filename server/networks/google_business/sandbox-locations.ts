import type { Router } from 'express';
import type { SandboxPerson } from '#server/networks/sandbox';
import { invalid, manage, notFound, notTheirs, type SignedIn } from './sandbox-access.ts';

/** Everybody has one account with two locations. */
export const mountLocations = (router: Router, signedIn: SignedIn) => {
  router.get(
    '/management/v1/accounts',
    signedIn(manage, async (_req, res, { person }) => {
      const account = { name: accountOf(person), accountName: person.name, type: 'PERSONAL', role: 'PRIMARY_OWNER' };
      res.send({ accounts: [account] });
    }),
  );

  // A page may hold less than was asked for: here it is always one location.
  router.get(
    '/information/v1/accounts/:account/locations',
    signedIn(manage, async (req, res, { person }) => {
      if (`accounts/${req.params.account}` !== accountOf(person)) return notTheirs(res);
      if (Number(req.query.pageSize ?? 10) > 100) return invalid(res, 'page_size', 'At most 100.');
      const at = Number(req.query.pageToken ?? 0);
      const [location, next] = locationsOf(person).slice(at);
      if (location === undefined) return invalid(res, 'page_token', 'It is not valid.');
      const shown = masked(location, req.query.readMask);
      if (shown === null) return invalid(res, 'read_mask', 'It is missing or not valid.');
      res.send({ locations: [shown], ...(next && { nextPageToken: String(at + 1) }) });
    }),
  );

  router.get(
    '/information/v1/locations/:location',
    signedIn(manage, async (req, res, { person }) => {
      const location = locationsOf(person).find(({ name }) => name === `locations/${req.params.location}`);
      if (location === undefined) return notFound(res);
      const shown = masked(location, req.query.readMask);
      return shown === null ? invalid(res, 'read_mask', 'It is missing or not valid.') : res.send(shown);
    }),
  );
};

interface Location {
  readonly name: string;
  readonly title: string;
  readonly storeCode: string;
  readonly metadata: { readonly canOperateLocalPost?: true; readonly hasVoiceOfMerchant: true };
}

const accountOf = ({ id }: SandboxPerson) => `accounts/${id}`;

const locationsOf = ({ id, handle, name }: SandboxPerson): Location[] =>
  ['Bakery', 'Café'].map((kind, index) => ({
    name: `locations/${id}${index + 1}`,
    title: `${name} ${kind}`,
    storeCode: `${handle}-${index + 1}`,
    metadata: { hasVoiceOfMerchant: true, ...(!handle.includes('noposts') && { canOperateLocalPost: true }) },
  }));

/** Null when the mask is missing or names something unknown. */
const masked = (location: Location, mask: unknown) => {
  const names = String(mask ?? '').split(',');
  if (names.some((name) => !['name', 'title', 'storeCode', 'storefrontAddress', 'metadata'].includes(name)))
    return null;
  return Object.fromEntries(Object.entries(location).filter(([name]) => names.includes(name)));
};

/** The location that an address names, as its owner knows it. */
export const parentOf = ({ account, location }: Record<string, unknown>, person: SandboxPerson) =>
  locationsOf(person)
    .map(({ name, title }) => ({ name: `${accountOf(person)}/${name}`, title }))
    .find(({ name }) => name === `accounts/${account}/locations/${location}`);
