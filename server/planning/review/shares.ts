import { hash, randomBytes } from 'node:crypto';
import { instantOf } from '#contracts/instant';
import type { Choice } from '#contracts/providers';
import type { Share, SharedPost } from '#contracts/review';
import { dayMs } from '#contracts/time';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Rights } from '#server/access/auth/rights';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { MediaLibrary } from '#server/media/library';
import type { Network, NetworkMedia } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { mediaWith } from '#server/writing/posts/fitting';
import type { LinkCards } from '#server/writing/posts/link-cards';
import { mediaIn, outgoingTo, toLinkCards } from '#server/writing/posts/outgoing';
import type { Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';
import type { ShareRow, ShareStore } from './share-store.ts';

/** 128 random bits. */
const shape = /^[\w-]{22}$/;

export type Shares = ReturnType<typeof createShares>;

/** Review links: anybody who has one sees the current state of a post. */
export const createShares = ({
  store,
  reading,
  readiness,
  accounts,
  library,
  linkCards,
  networks,
  rights,
  audit,
  baseUrl,
  clock,
  wallClock,
}: {
  store: ShareStore;
  reading: Reading;
  readiness: Readiness;
  accounts: Accounts;
  library: MediaLibrary;
  linkCards: LinkCards;
  networks: Networks;
  rights: Rights;
  audit: AuditLog;
  baseUrl: string;
  clock: Clock;
  /** Links expire by it, as sessions do. */
  wallClock: Clock;
}) => {
  /** The share behind a secret. Wrong, expired and revoked secrets get the same answer. */
  const open = async (secret: string): Promise<ShareRow> => {
    const row = shape.test(secret) ? await store.bySecret(hashOf(secret), wallClock.now()) : undefined;
    if (row === undefined) throw notShared();
    return row;
  };

  const postOf = async (share: ShareRow) => {
    const [post] = await reading.many(readerOf(share), [share.postId]);
    if (post === undefined) throw notShared();
    return post;
  };

  return {
    open,
    readerOf,

    list: async (caller: Caller, postId: string) => {
      await reading.get(caller, postId);
      return (await store.ofPost(caller.workspaceId, postId, wallClock.now())).map(show);
    },

    /** Only this answer has the address: the database has a hash of its secret. */
    make: (
      caller: Caller,
      postId: string,
      { days, invitesAdvice }: { days: number; invitesAdvice: boolean },
      requestId: string,
    ): Promise<Share & { url: string }> =>
      store.transaction(async () => {
        const by = await rights.mustHold(caller);
        // Locks the post, so that concurrent shares cannot exceed the limit.
        await reading.lock(caller, postId);
        const { workspaceId, userId } = caller;
        const now = wallClock.now();
        if ((await store.ofPost(workspaceId, postId, now)).length >= bounds.shares) {
          throw new Refusal('Conflict', `This post has ${bounds.shares} addresses already. Revoke one of them first.`);
        }
        const secret = randomBytes(16).toString('base64url');
        const id = newId('share', now);
        const expiresAt = new Date(now.getTime() + days * dayMs);
        await store.insert(by, {
          id,
          postId,
          hash: hashOf(secret),
          createdAt: now,
          expiresAt,
          invitesAdvice,
        });
        const details = { id, postId, expiresAt: instantOf(expiresAt) };
        await audit.write({ event: 'share.made', workspaceId, userId, requestId, details });
        const row = (await store.ofPost(workspaceId, postId, now)).find((share) => share.id === id);
        if (row === undefined) throw new Error('The new share disappeared inside its transaction.');
        return { ...show(row), url: `${baseUrl}/review/${secret}` };
      }),

    revoke: ({ workspaceId, userId }: Caller, id: string, requestId: string) =>
      store.transaction(async () => {
        const postId = await store.remove(workspaceId, id, wallClock.now());
        if (postId === undefined) throw notFound('share', id);
        await audit.write({ event: 'share.revoked', workspaceId, userId, requestId, details: { id, postId } });
      }),

    /** Removes all shares that this person created in the workspace. */
    endOf: ({ workspaceId, userId }: Pick<Caller, 'workspaceId' | 'userId'>) => store.removeOf(workspaceId, userId),

    /** Whether the link still works. */
    works: async (secret: string) => {
      try {
        await open(secret);
        return true;
      } catch (error) {
        if (error instanceof Refusal && error.code === 'NotFound') return false;
        throw error;
      }
    },

    see: async (secret: string): Promise<SharedPost> => {
      const share = await open(secret);
      const post = await postOf(share);
      const caller = readerOf(share);
      const files = await library.find(caller, mediaIn(post.versions));
      const fits = await readiness.fits(caller, post);
      const connected = await accounts.connectedOf(caller, post.accountIds);
      const accountsById = new Map((await accounts.list(caller)).map((account) => [account.id, account]));
      const choiceNames = await accounts.choiceNamesOf(caller, post.accountIds, post.versions);
      const storedCards = await linkCards.of(caller, post.id);
      const toFile = ({ id, kind, alt, width, height, durationMs }: NetworkMedia) => ({
        key: keyOf(secret, id),
        kind,
        width,
        height,
        ...(durationMs !== undefined && { durationMs }),
        ...(alt && { alt }),
      });
      return {
        status: post.status,
        ...(post.status !== 'Draft' && post.scheduledAt && { scheduledAt: post.scheduledAt }),
        updatedAt: post.updatedAt,
        expiresAt: share.expiresAt,
        invitesAdvice: share.invitesAdvice,
        now: instantOf(clock.now()),
        accounts: post.accountIds.flatMap((accountId) => {
          const account = accountsById.get(accountId);
          const network = networks.find(account?.network ?? '');
          if (account === undefined || network === undefined) return [];
          const media = mediaWith(files, fits.get(accountId));
          const outgoing = outgoingTo(network, post.versions, accountId, media, storedCards).post;
          const facts = connected.get(accountId)?.facts ?? null;
          const titleKey = `${network.key}.title`;
          const [cover] = Object.values(outgoing.optionFiles ?? {});
          const moment = network.options.find(
            ({ key, unitMs }) => unitMs && /^[1-9]\d{0,8}$/.test(outgoing.options[key] ?? ''),
          );
          const coverMs = moment && Number(outgoing.options[moment.key]) * (moment.unitMs ?? 1);
          const firstComment = outgoing.options[`${network.key}.first_comment`];
          return [
            {
              network: network.key,
              provider: network.name,
              badge: network.badge,
              name: account.name,
              handle: account.handle,
              ...(account.avatarUrl && { avatar: keyOf(secret, accountId) }),
              constraints: network.constraintsFor(outgoing, facts),
              ...(network.options.some(({ key }) => key === titleKey) && { titleKey }),
              options: withoutFiles(network, outgoing.options),
              labels: labelsOf(network, outgoing.options, (key) => [
                ...(network.choicesFor?.(key, facts) ?? []),
                ...(choiceNames(accountId, key) ?? []),
              ]),
              linkCards: toLinkCards((outgoing.linkCards ?? []).map((card) => ({ ...card, network: network.key }))),
              ...(cover && { cover: keyOf(secret, cover.id) }),
              ...(coverMs && { coverMs }),
              ...(firstComment && { firstComment }),
              items: outgoing.items.map(({ body, media }) => ({ body, media: media.map(toFile) })),
            },
          ];
        }),
      };
    },

    /** A file of the post, by its key in this share. */
    file: async (secret: string, key: string, size: 'original' | 'thumbnail') => {
      const share = await open(secret);
      const post = await postOf(share);
      const fits = [...(await readiness.fits(readerOf(share), post)).values()];
      const fitted = fits.flatMap(({ finished }) => [...finished.values()].map(({ id }) => id));
      const id = [...mediaIn(post.versions), ...fitted].find((one) => keyOf(secret, one) === key);
      if (id === undefined) throw notShared();
      return library.open(id, size);
    },

    /** An account of the post, by its key in this share. */
    accountIdOf: async (secret: string, key: string) => {
      const post = await postOf(await open(secret));
      const accountId = post.accountIds.find((one) => keyOf(secret, one) === key);
      if (accountId === undefined) throw notShared();
      return accountId;
    },

    purge: () => store.purge(wallClock.now()),
  };
};

const show = ({ id, madeByName, invitesAdvice, createdAt, expiresAt }: ShareRow): Share => ({
  id,
  invitesAdvice,
  madeBy: madeByName,
  createdAt,
  expiresAt,
});

/** Reads with the rights of a viewer. */
const readerOf = ({ workspaceId, madeBy }: ShareRow): Caller => ({
  userId: madeBy,
  workspaceId,
  role: 'viewer',
  mayPublish: false,
  isPerson: false,
});

/** Media ids are public addresses: they would still work after the share has ended. */
const withoutFiles = ({ options }: Network, set: Readonly<Record<string, string>>) => {
  const files = options.filter(({ type }) => type === 'Media').map(({ key }) => key);
  return Object.fromEntries(Object.entries(set).filter(([key]) => !files.includes(key)));
};

const labelsOf = (
  network: Network,
  set: Readonly<Record<string, string>>,
  choicesOf: (key: string) => readonly Choice[],
) =>
  Object.fromEntries(
    network.options.flatMap(({ key, choices = [] }) => {
      const choice = [...choicesOf(key), ...choices].find(({ value }) => value === set[key]);
      return choice ? [[key, choice.label]] : [];
    }),
  );

/** The secret is random, so a fast hash is the right one. */
const hashOf = (secret: string) => hash('sha256', secret, 'buffer');

/** Replaces the id of a file or an account, whose address would still work after the share has ended. */
const keyOf = (secret: string, mediaId: string) => hash('sha256', `${secret} ${mediaId}`, 'base64url').slice(0, 22);

const notShared = () =>
  new Refusal('NotFound', 'Nothing is shared here. Ask the person who sent it for a new address.');
