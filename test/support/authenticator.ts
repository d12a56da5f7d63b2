import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const encode = (data: string | Buffer) => Buffer.from(data).toString('base64url');

/** User present and verified; with a new credential. */
const flags = { verified: 0x05, withCredential: 0x45 };

/** A device with one passkey, as WebAuthn has it. It answers as a browser at `origin` would. */
export const createAuthenticator = (origin: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(32);
  const id = encode(credentialId);
  let counter = 0;

  const clientData = (type: string, challenge: string) =>
    JSON.stringify({ type, challenge, origin, crossOrigin: false });
  const authenticatorData = (flag: number) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(++counter);
    return Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([flag]), count]);
  };
  const publicKeyInCbor = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);

  return {
    register: ({ challenge }: { challenge: string }) => {
      const length = Buffer.from([0, credentialId.length]);
      const data = [authenticatorData(flags.withCredential), Buffer.alloc(16), length, credentialId, publicKeyInCbor];
      const authData = Buffer.concat(data);
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.from([authData.length]),
        authData,
      ]);
      const clientDataJSON = encode(clientData('webauthn.create', challenge));
      const response = { clientDataJSON, attestationObject: encode(attestation) };
      return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    },

    answer: ({ challenge }: { challenge: string }) => {
      const data = authenticatorData(flags.verified);
      const client = clientData('webauthn.get', challenge);
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
