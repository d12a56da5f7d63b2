import { Refusal } from '#server/base/errors';
import type { MeasureFreeBytes } from '#server/base/health/disk-space';

const retryAfterSeconds = 300;

/** The disk has no room for a file. Whoever knows what was kept of it says so, and how the upload goes on. */
export class NoRoom extends Refusal {
  constructor(outcome = 'Nothing of it was kept. Tell the operator, and send it again when there is room.') {
    super('Internal', `The disk of this server has no room for the file. ${outcome}`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export type DiskReserve = ReturnType<typeof createDiskReserve>;

/** Keeps some space of the disk free of uploads, because PostgreSQL stops everybody when there is none. */
export const createDiskReserve = ({
  folder,
  reserveBytes,
  freeBytes,
  promisedBytes,
}: {
  folder: string;
  reserveBytes: number;
  freeBytes: MeasureFreeBytes;
  /** What unfinished uploads may still send to this disk. */
  promisedBytes: () => Promise<number>;
}) => {
  const mustHold = async (bytes: number) => {
    if ((await freeBytes(folder)) - bytes < reserveBytes) throw new NoRoom();
  };
  return {
    /** For a file that nobody was promised room for. */
    mustFit: async (bytes: number) => mustHold(bytes + (await promisedBytes())),

    /** For the next part of an unfinished upload, whose room is among the promised bytes. */
    mustFitPart: mustHold,
  };
};
