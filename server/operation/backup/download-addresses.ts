import type { Clock } from '#server/base/clock';
import { Refusal } from '#server/base/errors';
import type { Seal } from '#server/base/secrets/seal';

const lifetimeMs = 5 * 60_000;

export type DownloadAddresses = ReturnType<typeof createDownloadAddresses>;

/**
 * A browser downloads by GET, which cannot carry a password. So whoever proves who they are gets an address, which works
 * for one backup in that session only.
 */
export const createDownloadAddresses = ({ seal, clock }: { seal: Pick<Seal, 'seal' | 'open'>; clock: Clock }) => ({
  make: (sessionId: string, id: string) => {
    const expiresAtMs = clock.now().getTime() + lifetimeMs;
    return `/api/app/backups/${id}/file/${seal.seal(String(expiresAtMs), placeOf(sessionId, id))}`;
  },

  mustWork: (sessionId: string, { id, ticket }: { id: string; ticket: string }) => {
    if (readExpiry(seal, ticket, placeOf(sessionId, id)) <= clock.now().getTime()) {
      throw new Refusal(
        'Forbidden',
        `This address is wrong, older than ${lifetimeMs / 60_000} minutes, or of another session. Choose Download again, under Settings, Backups.`,
      );
    }
  },
});

const placeOf = (sessionId: string, id: string) => `backup download:${sessionId}:${id}`;

const readExpiry = (seal: Pick<Seal, 'open'>, ticket: string, place: string) => {
  try {
    return Number(seal.open(ticket, place));
  } catch {
    return 0;
  }
};
