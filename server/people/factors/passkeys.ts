import { createPublicKey } from 'node:crypto';
import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { fingerprintOf } from '#server/access/receipts/verify-receipts';
import type { Clock } from '#server/base/clock';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { ChallengeUse, PasskeyRow, PasskeyStore } from './passkey-store.ts';

/** Imported on demand: most commands and requests do not need it. */
const webauthn = () => import('@simplewebauthn/server');

const challengeMs = 5 * 60_000;
const maxPasskeys = 20;

export type Passkeys = ReturnType<typeof createPasskeys>;

/** Passkeys of people (WebAuthn). The browser only lets the host of BASE_URL use them, so a look-alike site gets nothing. */
export const createPasskeys = ({
  store,
  baseUrl,
  clock,
}: {
  store: PasskeyStore;
  baseUrl: string;
  /** The wall clock, because challenges expire even when the sandbox clock is moved. */
  clock: Clock;
}) => {
  const { origin, hostname: rpID } = new URL(baseUrl);
  const unavailable = whyUnavailable(new URL(baseUrl));

  const mustWork = () => {
    if (unavailable) throw new Refusal('Forbidden', unavailable);
  };
  const keepChallenge = (challenge: string, use: ChallengeUse) =>
    store.insertChallenge(challenge, use, new Date(clock.now().getTime() + challengeMs));
  const expected = (use: ChallengeUse) => ({
    expectedChallenge: (challenge: string) => store.takeChallenge(challenge, use, clock.now()),
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
  });

  const verifyAssertion = async (
    response: unknown,
    { credentialId: id, publicKey, counter }: Pick<PasskeyRow, 'credentialId' | 'publicKey' | 'counter'>,
    expectation: Omit<ReturnType<typeof expected>, 'expectedChallenge'> & {
      expectedChallenge: (challenge: string) => boolean | Promise<boolean>;
    },
  ) => {
    const { verifyAuthenticationResponse } = await webauthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      credential: { id, publicKey: new Uint8Array(publicKey), counter },
      ...expectation,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  };

  /** Locks the passkey, so that two answers with the same counter, which mean a copied passkey, are noticed. */
  const findFor = async (response: unknown) => {
    const { id } = (response ?? {}) as { id?: unknown };
    return typeof id === 'string' ? store.find(id) : undefined;
  };

  return {
    unavailable,

    list: async (userId: string) => Promise.all((await store.list(userId)).map(toPasskey)),

    /** Options for the browser. Call it only after the person has proved who they are. */
    beginAdding: async ({ userId, email }: { userId: string; email: string }) => {
      mustWork();
      const { generateRegistrationOptions } = await webauthn();
      const existing = await store.list(userId);
      const options = await generateRegistrationOptions({
        rpName: 'Posthorn',
        rpID,
        userID: new TextEncoder().encode(userId),
        userName: email,
        attestationType: 'none',
        excludeCredentials: existing.map(({ credentialId }) => ({ id: credentialId })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      await keepChallenge(options.challenge, { purpose: 'add', userId });
      return options;
    },

    add: async (userId: string, name: string, response: unknown) => {
      mustWork();
      const { verifyRegistrationResponse } = await webauthn();
      return store.transaction(async () => {
        await store.lockOf(userId);
        if ((await store.list(userId)).length >= maxPasskeys)
          throw new Refusal('Conflict', `You have ${maxPasskeys} passkeys. Remove one to add another.`);
        const { registrationInfo } = await verifyRegistrationResponse({
          response: response as RegistrationResponseJSON,
          ...expected({ purpose: 'add', userId }),
        }).catch((error: unknown) => refuse(error, badResponse));
        if (registrationInfo === undefined) throw badResponse();
        const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
        const createdAt = clock.now();
        const passkeyId = newId('passkey', createdAt);
        const isNew = await store.insert({
          id: passkeyId,
          userId,
          credentialId: id,
          publicKey: Buffer.from(publicKey),
          counter,
          transports: [...transports],
          name,
          createdAt,
        });
        if (!isNew) throw new Refusal('Conflict', 'This passkey is already stored here.');
        const row = (await store.list(userId)).find((one) => one.id === passkeyId);
        if (row === undefined) throw new Error('a passkey that was just added is gone');
        return toPasskey(row);
      });
    },

    /** Returns its name. */
    remove: async (userId: string, id: string) => {
      const name = await store.remove(userId, id);
      if (name === undefined) throw notFound('passkey', id);
      return name;
    },

    removeAll: store.removeAll,

    beginSignIn: async () => {
      mustWork();
      const { generateAuthenticationOptions } = await webauthn();
      const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' });
      await keepChallenge(options.challenge, { purpose: 'sign-in' });
      return options;
    },

    /** The person whose passkey signed the challenge. An unknown and a wrong one get the same answer. */
    signIn: async (response: unknown) => {
      mustWork();
      return store.transaction(async () => {
        const passkey = await findFor(response);
        if (passkey === undefined) throw unknownPasskey();
        const counter = await verifyAssertion(response, passkey, expected({ purpose: 'sign-in' })).catch(
          (error: unknown) => refuse(error, unknownPasskey),
        );
        if (counter === undefined) throw unknownPasskey();
        await store.saveUsed(passkey.id, counter, clock.now());
        return passkey.userId;
      });
    },

    /** Options for the browser of one person, for the second step of a sign-in or a confirmation. */
    beginProof: async (userId: string, confirmation?: ChallengedConfirmation) => {
      mustWork();
      const { generateAuthenticationOptions } = await webauthn();
      const own = await store.list(userId);
      if (own.length === 0) throw new Refusal('Forbidden', 'You have no passkey. Add one in your profile first.');
      const options = await generateAuthenticationOptions({
        rpID,
        userVerification: 'required',
        allowCredentials: own.map(({ credentialId: id }) => ({ id })),
        ...(confirmation && { challenge: new Uint8Array(confirmation.challenge) }),
      });
      await keepChallenge(options.challenge, { purpose: proofPurpose(confirmation), userId });
      return options;
    },

    /**
     * Call inside a transaction. Returns the passkey and what it signed. `isRepeated`: the same answer was accepted
     * before, and now proves another part of the same confirmation.
     */
    mustProve: async (
      userId: string,
      response: unknown,
      confirmation?: ChallengedConfirmation & { readonly isRepeated: boolean },
    ) => {
      mustWork();
      const passkey = await findFor(response);
      if (passkey?.userId !== userId) throw unprovenPasskey();
      const { challenge, isRepeated = false } = confirmation ?? {};
      const expectation = expected({ purpose: proofPurpose(confirmation), userId });
      const takes = async (answered: string) =>
        (challenge === undefined || answered === challenge.toString('base64url')) &&
        (isRepeated || (await expectation.expectedChallenge(answered)));
      const counter = await verifyAssertion(response, isRepeated ? { ...passkey, counter: 0 } : passkey, {
        ...expectation,
        expectedChallenge: takes,
      }).catch((error: unknown) => refuse(error, unprovenPasskey));
      if (counter === undefined) throw unprovenPasskey();
      if (!isRepeated) await store.saveUsed(passkey.id, counter, clock.now());
      const { authenticatorData, clientDataJSON, signature } = (response as AuthenticationResponseJSON).response;
      const assertion = { publicKey: await toSpki(passkey), authenticatorData, clientDataJSON, signature };
      return { passkeyId: passkey.id, assertion };
    },

    purge: () => store.purgeChallenges(clock.now()),
  };
};

/** What a confirmation of approvals wants signed. */
interface ChallengedConfirmation {
  readonly id: string;
  readonly challenge: Buffer;
}

const proofPurpose = (confirmation?: ChallengedConfirmation) =>
  confirmation === undefined ? 'second-step' : (`confirm ${confirmation.id}` as const);

/** Browsers offer passkeys only to a host with a name, on https or on this computer. */
const whyUnavailable = ({ protocol, hostname, href }: URL) => {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return undefined;
  const address = hostname.replace(/^\[|\]$/g, '');
  if (address === '127.0.0.1' || address === '::1') {
    const url = new URL(href);
    url.hostname = 'localhost';
    return `On this computer passkeys work at localhost. Open ${url.origin}, and set BASE_URL to it.`;
  }
  if (isIP(address) !== 0) {
    return 'Passkeys need a host name: browsers refuse them for an IP address. Open Posthorn at a name, such as https://posthorn.example.com, and set BASE_URL to it.';
  }
  if (protocol !== 'https:') return 'Passkeys need https. Serve Posthorn over https, and set BASE_URL to that address.';
  return undefined;
};

/** COSE names these by numbers. */
const keyTypes = { okp: 1, ec: 2, rsa: 3 };
const curves: Readonly<Record<number, string>> = { 1: 'P-256', 2: 'P-384', 3: 'P-521' };

/** The public key in the form that everybody's tools read, in base64url. */
const toSpki = async ({ publicKey }: Pick<PasskeyRow, 'publicKey'>) => {
  const { isoCBOR } = await import('@simplewebauthn/server/helpers');
  const cose = isoCBOR.decodeFirst<Map<number, unknown>>(new Uint8Array(publicKey));
  const part = (label: number) => Buffer.from(cose.get(label) as Uint8Array).toString('base64url');
  const type = cose.get(1);
  const key =
    type === keyTypes.rsa
      ? { kty: 'RSA', n: part(-1), e: part(-2) }
      : type === keyTypes.okp
        ? { kty: 'OKP', crv: 'Ed25519', x: part(-2) }
        : { kty: 'EC', crv: curves[Number(cose.get(-1))] ?? '', x: part(-2), y: part(-3) };
  return createPublicKey({ format: 'jwk', key }).export({ format: 'der', type: 'spki' }).toString('base64url');
};

const toPasskey = async ({ id, name, publicKey, createdAt, lastUsedAt }: PasskeyRow) => ({
  id,
  name,
  fingerprint: fingerprintOf(await toSpki({ publicKey })),
  createdAt,
  ...(lastUsedAt !== null && { lastUsedAt }),
});

/** The library throws plain errors for everything that an answer can have wrong; others are ours. */
const refuse = (error: unknown, refusal: () => Refusal): never => {
  if (error instanceof Refusal || (error as { code?: unknown }).code !== undefined) throw error;
  throw refusal();
};

const badResponse = () =>
  badInput({
    path: 'response',
    code: 'Invalid',
    message: 'does not fit the request of this page, or came too late. Try again',
  });

const unknownPasskey = () =>
  new Refusal('Unauthorized', 'This passkey is not known here, or was removed. Sign in another way.');

const unprovenPasskey = () => {
  const message = 'This passkey is not one of yours, was removed, or answered another request or too late. Try again.';
  return new Refusal('Forbidden', message, [{ path: '', code: 'PasskeyRefused', message }]);
};
