import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const encode = (data: string | Buffer) => Buffer.from(data).toString('base64url');

/** User present; also verified; with a new credential. */
const flags = { verified: 0x04, present: 0x01, withCredential: 0x40 };

/** What an answer may have wrong. */
interface Oddities {
  /** Of the page that asked. */
  readonly origin?: string;
  /** Host that the passkey is for. */
  readonly rpId?: string;
  readonly isVerified?: boolean;
  /** Instead of the next one. */
  readonly counter?: number;
}

/** A device with one passkey, as WebAuthn has it. It answers as a browser at `home` would. */
export const createAuthenticator = (home: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(32);
  const id = encode(credentialId);
  let counter = 0;

  const clientData = (type: string, challenge: string, { origin = home }: Oddities) =>
    JSON.stringify({ type, challenge, origin, crossOrigin: false });
  const authenticatorData = (flag: number, oddities: Oddities) => {
    const { rpId = new URL(home).hostname, isVerified = true } = oddities;
    const count = Buffer.alloc(4);
    counter = oddities.counter ?? counter + 1;
    count.writeUInt32BE(counter);
    const set = flag | flags.present | (isVerified ? flags.verified : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([set]), count]);
  };
  const publicKeyInCbor = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);

  return {
    register: ({ challenge }: { challenge: string }, oddities: Oddities = {}) => {
      const length = Buffer.from([0, credentialId.length]);
      const data = [
        authenticatorData(flags.withCredential, oddities),
        Buffer.alloc(16),
        length,
        credentialId,
        publicKeyInCbor,
      ];
      const authData = Buffer.concat(data);
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.from([authData.length]),
        authData,
      ]);
      const clientDataJSON = encode(clientData('webauthn.create', challenge, oddities));
      const response = { clientDataJSON, attestationObject: encode(attestation) };
      return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    },

    answer: ({ challenge }: { challenge: string }, oddities: Oddities = {}) => {
      const data = authenticatorData(0, oddities);
      const client = clientData('webauthn.get', challenge, oddities);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      const response = {
        clientDataJSON: encode(client),
        authenticatorData: encode(data),
        signature: encode(signature),
      };
      return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    },
  };
};
