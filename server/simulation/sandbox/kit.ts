import { randomBytes, randomInt } from 'node:crypto';
import type { Response } from 'express';
import type { Clock } from '#server/base/clock';
import { sha256 } from '#server/base/sha256';
import type { Json } from '#server/networks/network';
import type { SandboxGrant, SandboxKit, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { type BodyReader, createBodyReader } from './body-reader.ts';
import { createConsent, type SandboxLook } from './consent.ts';
import { createFaults, misbehave } from './faults.ts';
import { createLateWork } from './late-work.ts';
import { numbersOf } from './numbers.ts';
import type { SandboxStore } from './store.ts';

/** Gives ids more digits than a JavaScript number can hold, as large networks have. */
const idEpoch = Date.UTC(1995, 0, 1);
const grantKind = 'grant ';

type StoredPerson = Omit<SandboxPerson, 'avatarUrl'>;

interface StoredGrant {
  readonly personId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly data: Json;
}

export const createKit = ({
  network,
  look,
  store,
  clock,
  baseUrl,
  fetchMedia,
  bodies = createBodyReader(),
  keepSilent = () => undefined,
}: {
  network: string;
  look: SandboxLook;
  store: SandboxStore;
  clock: Clock;
  baseUrl: string;
  fetchMedia: SandboxKit['fetchMedia'];
  bodies?: BodyReader | undefined;
  keepSilent?: ((res: Response) => void) | undefined;
}): SandboxKit & { readonly faults: ReturnType<typeof createFaults>; catchUp(): Promise<void> } => {
  const { now } = clock;
  const faults = createFaults({ store, network });
  const late = createLateWork(clock);
  const asPost = (value: Json) => value as unknown as SandboxPost;
  const recordOf = (post: SandboxPost) => ({
    network,
    kind: 'post',
    id: post.id,
    value: { ...post },
    owner: post.author,
    ...(post.replyTo !== undefined && { parent: post.replyTo }),
  });

  const withAvatar = (person: StoredPerson): SandboxPerson => ({
    ...person,
    avatarUrl: `${baseUrl}/sandbox/${network}/avatars/${encodeURIComponent(person.handle)}.svg`,
  });

  const people: SandboxKit['people'] = {
    signIn: async (handle) => {
      const person = { id: personId(handle), handle, name: nameFor(handle) };
      await store.add({ network, kind: 'person', id: person.id, value: person });
      return withAvatar(person);
    },
    get: async (id) => {
      const person = (await store.get(network, 'person', id)) as unknown as StoredPerson | undefined;
      return person && withAvatar(person);
    },
  };

  const toGrant = async (value: Json | undefined): Promise<SandboxGrant | undefined> => {
    if (value === undefined) return undefined;
    const { personId, scopes, expiresAt, data } = value as unknown as StoredGrant;
    const person = await people.get(personId);
    return person && { person, scopes, data, expired: expiresAt !== null && new Date(expiresAt) <= now() };
  };

  const grants: SandboxKit['grants'] = {
    issue: async (use, { person, scopes, lifeMs, data = null }) => {
      const secret = `${use}-${randomBytes(24).toString('base64url')}`;
      const expiresAt = lifeMs === undefined ? null : new Date(now().getTime() + lifeMs).toISOString();
      const value = { personId: person.id, scopes, expiresAt, data };
      await store.put({ network, kind: grantKind + use, id: secret, value, owner: person.id });
      return secret;
    },
    find: async (use, secret) => toGrant(await store.get(network, grantKind + use, secret)),
    take: async (use, secret) => toGrant(await store.take(network, grantKind + use, secret)),
    revokeAll: (person) => store.removeOwned(network, grantKind, person.id),
  };

  return {
    now,
    newId: () => String((BigInt(now().getTime() - idEpoch) << 20n) | BigInt(randomInt(2 ** 20))),
    here: (req) => `${req.protocol}://${req.get('host')}${req.baseUrl}`,
    link: (path) => `${baseUrl}/sandbox/${network}${path}`,
    people,
    consent: createConsent({ people, grants, look }),
    grants,
    records: {
      put: (kind, id, value) => store.put({ network, kind, id, value }),
      add: (kind, id, value) => store.add({ network, kind, id, value }),
      get: async <T extends Json>(kind: string, id: string) => (await store.get(network, kind, id)) as T | undefined,
      remove: async (kind, id) => {
        await store.take(network, kind, id);
      },
    },
    posts: {
      add: (post) => store.add(recordOf(post)),
      edit: async (post, changes) => {
        const firstText = post.edited?.firstText ?? post.text;
        const edited = { ...post, ...changes, edited: { at: now().toISOString(), firstText } };
        await store.put(recordOf(edited));
        return edited;
      },
      get: async (id) => {
        const value = await store.get(network, 'post', id);
        return value === undefined ? undefined : asPost(value);
      },
      remove: async (id) => {
        await store.take(network, 'post', id);
      },
      of: async (author, limit) => (await store.ofOwner(network, 'post', author, limit)).map(asPost),
      replies: async (id) => (await store.ofParent(network, 'post', id, 1000)).map(asPost),
    },
    ...bodies,
    // Seeded by author and text, so that every run of the demo has the same numbers.
    numbers: ({ id, author, text, edited, createdAt }) =>
      numbersOf(`${network} ${author} ${(edited?.firstText ?? text) || id}`, now().getTime() - Date.parse(createdAt)),
    fetchMedia,
    faults,
    catchUp: late.catchUp,

    commit: async (_req, res, { text, person, refusals, make, answer }) => {
      const fault = await faults.find('publish', text);
      if (fault === undefined) return answer(await make());
      const revoke = () => grants.revokeAll(person);
      await misbehave(fault, res, { refusals, revoke, work: make, later: late.add, keepSilent, answer });
    },

    isFaulty: async (moment, _req, res, { person, refusals }) => {
      const fault = await faults.find(moment, '');
      if (fault === undefined) return false;
      let hasAnswered = false;
      await misbehave(fault, res, {
        refusals,
        revoke: () => grants.revokeAll(person),
        work: async () => undefined,
        later: () => undefined,
        keepSilent,
        answer: () => {
          hasAnswered = true;
        },
      });
      return !hasAnswered;
    },
  };
};

const personId = (handle: string) => String(100_000_000_000 + (sha256(handle).readUIntBE(0, 6) % 899_999_999_999));

/** Initials on a colour, both from the handle. */
export const drawAvatar = (handle: string) => {
  const letters = nameFor(handle)
    .split(' ')
    .filter((word) => /^[\p{L}\p{N}]/u.test(word))
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '');
  // Uses only the first word, so that all accounts of one brand look alike.
  const word = handle.split(/[._@-]/)[0] ?? '';
  const hue = [...word].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 60);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 88 88"><rect width="88" height="88" fill="hsl(${hue} 28% 34%)"/><text x="44" y="56" font-family="sans-serif" font-size="34" font-weight="600" fill="#fff" text-anchor="middle">${letters.join('')}</text></svg>`;
};

/** `anna.bakery` → `Anna Bakery`, `rye.and.ember` → `Rye & Ember` */
const nameFor = (handle: string) =>
  handle
    .replace(/\.example$/, '')
    .split(/[._@-]+/)
    .filter((word) => word !== '')
    .map((word) => (word === 'and' ? '&' : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(' ');
