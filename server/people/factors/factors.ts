import { randomBytes } from 'node:crypto';
import type { Proof } from '#contracts/receipts';
import type { PasswordTries } from '#server/access/auth/password-tries';
import type { Clock } from '#server/base/clock';
import { badInput, Refusal } from '#server/base/errors';
import type { Seal } from '#server/base/secrets/seal';
import { sha256 } from '#server/base/sha256';
import type { SignedIn } from '#server/base/signed-in';
import type { FactorStore } from './factor-store.ts';
import { findStep, newTotpSecret, toBase32, totpUri } from './totp.ts';

const codeCount = 10;
const setUpMs = 15 * 60_000;

interface SetUp {
  readonly userId: string;
  readonly sealedSecret: string;
}

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

  /**
   * Wrong codes are counted per person, whatever their address, because whoever tries codes already has the password or
   * a session.
   */
  const mustBeTotp = (userId: string, code: string, sealedSecret: string) =>
    tries.guard(
      { email: `code of ${userId}`, address: '', noun: 'codes' },
      async () => {
        if (sealedSecret === '') throw wrongCode();
        const step = findStep(seal.open(sealedSecret, placeOf(userId)), digitsOf(code), clock.now());
        if (step === undefined || !(await store.useStep(userId, step))) throw wrongCode();
      },
      isWrongCode,
    );

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

    begin: async ({ userId, sessionId, email }: Pick<SignedIn, 'userId' | 'sessionId' | 'email'>) => {
      const secret = newTotpSecret();
      if (!(await store.begin(userId, seal.seal(secret, placeOf(userId)), sessionId, clock.now()))) {
        throw new Refusal('Conflict', 'You have an authenticator app already. Remove it first.');
      }
      return { secret, uri: totpUri({ secret, email, issuer }) };
    },

    /** The first code proves that the app has the secret. Not in a transaction, which would forget a wrong code. */
    mustBeFirstCode: async ({ userId, sessionId }: SignedIn, code: string): Promise<SetUp> => {
      const sealedSecret = await store.findBegun(userId, sessionId, new Date(clock.now().getTime() - setUpMs));
      if (sealedSecret === undefined) throw setUpEnded();
      await mustBeTotp(userId, code, sealedSecret);
      return { userId, sealedSecret };
    },

    /** Returns the recovery codes, which are shown once. */
    confirm: ({ userId, sealedSecret }: SetUp) =>
      store.transaction(async () => {
        if (!(await store.confirm(userId, sealedSecret, clock.now()))) throw setUpEnded();
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

    /** Finds out which of the two the code is. A recovery code is too long to guess, so it works during a delay too. */
    mustBeCode: async (userId: string, code: string): Promise<Proof> => {
      if (digitsOf(code).length !== 6) {
        if (await store.takeCode(userId, hashOf(normalize(code)))) return 'recovery-code';
        throw wrongCode();
      }
      const row = await store.find(userId);
      await mustBeTotp(userId, code, row?.confirmedAt == null ? '' : row.sealedSecret);
      return 'totp';
    },
  };
};

/** Some keyboards type full-width digits, which NFKC turns into ordinary ones. */
const digitsOf = (code: string) => code.normalize('NFKC').replaceAll(/[\s-]/g, '');
const normalize = (code: string) => digitsOf(code).toUpperCase();
const hashOf = (code: string) => sha256(code);

/** 80 random bits as `ABCD-EFGH-IJKL-MNOP`: a hash of it cannot be reversed by trying. */
const newRecoveryCode = () => toBase32(randomBytes(10)).replaceAll(/.{4}(?=.)/g, '$&-');

const isWrongCode = (error: unknown) => error instanceof Refusal && error.issues[0]?.code === 'WrongCode';

const setUpEnded = () =>
  new Refusal(
    'Conflict',
    `This set-up has ended: it takes at most ${setUpMs / 60_000} minutes, in the browser that began it. Begin again, and scan the new code.`,
  );

const wrongCode = () =>
  badInput({
    path: 'code',
    code: 'WrongCode',
    message: 'is wrong or was used. Wait for the next one, or use a recovery code',
  });
