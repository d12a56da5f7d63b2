import { isIPv6 } from 'node:net';
import { secondMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import { Refusal } from '#server/base/errors';
import { emailKey } from './email-address.ts';
import type { TryStore } from './password-try-store.ts';

/** The delay after each wrong password in a row. The last value applies from then on. */
export const waitsMs = [0, 0, 0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900].map((seconds) => seconds * secondMs);
/** The count starts again after a day without a try. */
const retentionMs = 24 * 3_600_000;

export interface Try {
  readonly email: string;
  /** The IP address. */
  readonly address: string;
  /** The noun for the error message. Default: passwords. */
  readonly noun?: string;
}

export type PasswordTries = ReturnType<typeof createPasswordTries>;

/**
 * Delays grow with every wrong password for one account from one network. Counting per network keeps attackers
 * elsewhere from locking out the owner. Counts are in the database, so that all instances share them and they survive a
 * restart.
 */
export const createPasswordTries = ({ store, clock }: { store: TryStore; clock: Clock }) => {
  const keyOf = ({ email, address }: Try) => [emailKey(email), networkOf(address)] as const;

  const count = async (of: Try) => {
    const now = clock.now();
    const key = keyOf(of);
    if (await store.count(...key, now, new Date(now.getTime() - retentionMs), waitsMs)) return;
    const nextAt = await store.nextAt(...key);
    const seconds = Math.max(1, Math.ceil((Date.parse(nextAt ?? '') - now.getTime()) / secondMs) || 1);
    const refusal = new Refusal(
      'TooManyRequests',
      `Too many wrong ${of.noun ?? 'passwords'} for this account from here. Wait ${seconds} seconds, then try again.`,
    );
    refusal.retryAfterSeconds = seconds;
    throw refusal;
  };

  return {
    /** Every check of a password runs in here. `isWrong` tells a wrong password from other errors. */
    guard: async <Result>(of: Try, work: () => Promise<Result>, isWrong: (error: unknown) => boolean) => {
      await count(of);
      try {
        const result = await work();
        await store.forget(...keyOf(of));
        return result;
      } catch (error) {
        if (!isWrong(error)) await store.takeBack(...keyOf(of));
        throw error;
      }
    },

    purge: () => store.purge(new Date(clock.now().getTime() - retentionMs)),
  };
};

/** The /64 of an IPv6 address, because a household or host usually has a whole one. */
export const networkOf = (address: string) => {
  const v4 = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (v4 !== undefined || !isIPv6(address)) return v4 ?? address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return `${[...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')}::/64`;
};
