import { randomBytes } from 'node:crypto';
import { instantOf } from '#contracts/instant';
import type { UploadAddress } from '#contracts/media';
import { editors, type Role } from '#contracts/scopes';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller, UploadAccess } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { Seal } from '#server/base/secrets/seal';
import type { UploadAddressStore } from './upload-address-store.ts';
import type { Record } from './uploads.ts';

/** The role that somebody has in a workspace with this token; undefined once the token or the membership has ended. */
export type FindRole = (
  owner: Pick<Caller, 'userId' | 'workspaceId'>,
  access: UploadAccess,
) => Promise<Role | undefined>;

/** The sealed content of an upload address. */
interface Ticket {
  readonly id: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly expiresAtMs: number;
  readonly access: UploadAccess;
}

/** Short, because a model reads and writes the address. No part contains a space. */
const toText = ({ id, workspaceId, userId, expiresAtMs, access }: Ticket) =>
  [
    id,
    workspaceId,
    userId,
    expiresAtMs.toString(36),
    ...('tokenId' in access ? [access.tokenId] : [access.issuedAt, access.clientId]),
  ].join(' ');

const fromText = (text: string): Ticket => {
  const [id, workspaceId, userId, expiresAt, first, clientId] = text.split(' ');
  if (!(id && workspaceId && userId && expiresAt && first)) throw unusable();
  const access = clientId === undefined ? { tokenId: first } : { issuedAt: first, clientId };
  return { id, workspaceId, userId, expiresAtMs: Number.parseInt(expiresAt, 36), access };
};

export type UploadAddresses = ReturnType<typeof createUploadAddresses>;

/**
 * Addresses that accept one file without a token. Agents need them: they cannot send bytes over MCP, and their access
 * token is not accepted elsewhere. The address itself says who may use it and until when, so nothing is stored before
 * it is used.
 */
export const createUploadAddresses = ({
  store,
  seal,
  findRole,
  baseUrl,
  clock,
}: {
  store: UploadAddressStore;
  seal: Pick<Seal, 'seal' | 'open'>;
  findRole: FindRole;
  baseUrl: string;
  clock: Clock;
}) => {
  const read = (text: string): Ticket => {
    try {
      return fromText(seal.open(text, place));
    } catch {
      throw unusable();
    }
  };

  return {
    /** Undefined for a caller who may not add files, or who can do it in the app. */
    offer: ({ userId, workspaceId, role, uploadAccess }: Caller): UploadAddress | undefined => {
      if (uploadAccess === undefined || !isEditor(role)) return undefined;
      const expiresAtMs = clock.now().getTime() + bounds.uploadAddressMs;
      const id = randomBytes(6).toString('base64url');
      const ticket = toText({ id, workspaceId, userId, expiresAtMs, access: uploadAccess });
      return {
        url: `${baseUrl}/upload/${seal.seal(ticket, place)}`,
        expiresAt: instantOf(new Date(expiresAtMs)),
      };
    },

    /**
     * Returns the caller for whom the address was made. `record` marks it as used together with the new item, or
     * refuses. An upload that has begun may end after the address has expired.
     */
    admit: async (
      text: string,
      { hasBegun = false } = {},
    ): Promise<{ caller: Caller; rateKey: string; record: Record }> => {
      const { id, workspaceId, userId, expiresAtMs, access } = read(text);
      if (!hasBegun && expiresAtMs <= clock.now().getTime()) throw unusable();
      const role = await findRole({ userId, workspaceId }, access);
      if (role === undefined || !isEditor(role)) throw unusable();
      if (await store.isUsed(workspaceId, id)) throw used();
      return {
        caller: { userId, workspaceId, role, mayPublish: false, isPerson: false },
        rateKey: 'tokenId' in access ? access.tokenId : `${userId} ${access.clientId}`,
        record: (write) =>
          store.transaction(async () => {
            if (!(await store.use(workspaceId, id, new Date(expiresAtMs)))) throw used();
            return write();
          }),
      };
    },

    purge: () => store.purge(),
  };
};

/** For a model, which acts on a command. */
export const describeUploadAddress = ({ url, expiresAt }: UploadAddress) =>
  `To upload a local file, run: curl -F file=@FILE ${url} (one file, no token, until ${expiresAt.slice(11, 16)} UTC). The answer has its id.`;

const place = 'upload address';

const isEditor = (role: Role) => (editors as readonly Role[]).includes(role);

const unusable = () =>
  new Refusal(
    'NotFound',
    `This upload address is wrong, older than ${bounds.uploadAddressMs / 60_000} minutes, or of a token that has ended. media.list gives a new one.`,
  );

const used = () =>
  new Refusal('Conflict', 'This upload address was used already, and takes one file. media.list gives a new one.');
