import { createHash, randomBytes } from 'node:crypto';
import type { Proof } from '#contracts/receipts';
import type { PasswordTries } from '#server/auth/password-tries';
import type { Clock } from '#server/clock';
import { badInput, Refusal } from '#server/errors';
import type { Seal } from '#server/secrets/seal';
import type { FactorStore } from './store.ts';
import { findStep, newTotpSecret, toBase32, totpUri } from './totp.ts';

const codeCount = 10;

export type Factors = ReturnType<typeof createFactors>;

/** Codes from an app (TOTP), and recovery codes for when the app is lost. */
export const createFactors = ({
  store,
  seal,
  tries,
  issuer,
  clock,
}: {
  store: FactorStore;
  seal: Seal;
  tries: PasswordTries;
  /** The name that the app shows. */
  issuer: string;
  /** The wall clock, because codes follow real time even when the sandbox clock is moved. */
  clock: Clock;
}) => {
  const placeOf = (userId: string) => `totp_factors:${userId}:sealed_secret`;

  const isTotp = async (userId: string, code: string, isConfirmed: boolean) => {
    const row = await store.find(userId);
    if (row === undefined || row.sealedSecret === '' || (row.confirmedAt !== null) !== isConfirmed) return false;
    const step = findStep(seal.open(row.sealedSecret, placeOf(userId)), code, clock.now());
    return step !== undefined && (await store.useStep(userId, step));
  };

  const newCodes = async (userId: string) => {
    const codes = Array.from({ length: codeCount }, newRecoveryCode);
    await store.replaceCodes(
      userId,
      codes.map((code) => hashOf(normalize(code))),
    );
    return codes;
  };

  return {
    read: async (userId: string) => {
      const row = await store.find(userId);
      return {
        ...(row?.confirmedAt && { totp: { since: row.confirmedAt } }),
        recoveryCodes: await store.countCodes(userId),
      };
    },

    hasTotp: async (userId: string) => (await store.find(userId))?.confirmedAt != null,

    begin: async ({ userId, email }: { userId: string; email: string }) => {
      const secret = newTotpSecret();
      if (!(await store.begin(userId, seal.seal(secret, placeOf(userId))))) {
        throw new Refusal('Conflict', 'You have an authenticator app already. Remove it first.');
      }
      return { secret, uri: totpUri({ secret, email, issuer }) };
    },

    /** The first code proves that the app has the secret. Returns the recovery codes, which are shown once. */
    confirm: (userId: string, code: string) =>
      store.transaction(async () => {
        if (!(await isTotp(userId, digitsOf(code), false))) throw wrongCode();
        if (!(await store.confirm(userId, clock.now()))) throw wrongCode();
        return newCodes(userId);
      }),

    renewCodes: (userId: string) =>
      store.transaction(async () => {
        if ((await store.find(userId))?.confirmedAt == null) {
          throw new Refusal('Conflict', 'Recovery codes belong to an authenticator app. Set one up first.');
        }
        return newCodes(userId);
      }),

    remove: (userId: string) =>
      store.transaction(async () => {
        if (!(await store.remove(userId))) throw new Refusal('Conflict', 'You have no authenticator app.');
        await store.removeCodes(userId);
      }),

    removeAll: store.removeAll,

    /**
     * Finds out which of the two the code is. Wrong codes are counted per person, whatever their address, because
     * whoever tries codes already knows the password. A recovery code is too long to guess, so it works during a delay
     * too.
     */
    mustBeCode: async (userId: string, code: string): Promise<Proof> => {
      const digits = digitsOf(code);
      if (digits.length !== 6) {
        if (await store.takeCode(userId, hashOf(normalize(code)))) return 'recovery-code';
        throw wrongCode();
      }
      const check = async (): Promise<Proof> => {
        if (!(await isTotp(userId, digits, true))) throw wrongCode();
        return 'totp';
      };
      return tries.guard({ email: `code of ${userId}`, address: '', noun: 'codes' }, check, isWrongCode);
    },
  };
};

/** Some keyboards type full-width digits, which NFKC turns into ordinary ones. */
const digitsOf = (code: string) => code.normalize('NFKC').replaceAll(/[\s-]/g, '');
const normalize = (code: string) => digitsOf(code).toUpperCase();
const hashOf = (code: string) => createHash('sha256').update(code).digest();

/** 80 random bits as `ABCD-EFGH-IJKL-MNOP`: a hash of it cannot be reversed by trying. */
const newRecoveryCode = () => toBase32(randomBytes(10)).replaceAll(/.{4}(?=.)/g, '$&-');

const isWrongCode = (error: unknown) => error instanceof Refusal && error.issues[0]?.code === 'WrongCode';

const wrongCode = () =>
  badInput({
    path: 'code',
    code: 'WrongCode',
    message: 'is wrong or was used. Wait for the next one, or use a recovery code',
  });
