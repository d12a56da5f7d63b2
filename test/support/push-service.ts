import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { importJWK, jwtVerify } from 'jose';
import { trustedCertificate } from './receiver.ts';
import { until } from './until.ts';

export interface PushMessage {
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on what came, whatever it is
  readonly message: any;
  /** The verified claims of the VAPID token. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly publicKey: string;
}

export type PushService = Awaited<ReturnType<typeof startPushService>>;

/** The push service of a browser vendor. Only the subscribed browsers can decrypt the messages. */
export const startPushService = async () => {
  const { cert, key, settings, remove } = trustedCertificate();
  const browsers = new Map<string, { answer: number; read: (body: Buffer) => unknown; pushed: PushMessage[] }>();
  const server = createServer({ cert, key, keepAliveTimeout: 0 }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const browser = browsers.get(req.url ?? '');
    if (browser === undefined) return res.writeHead(404).end();
    const [, token = '', publicKey = ''] = /^vapid t=([^,]+), k=(\S+)$/.exec(req.headers.authorization ?? '') ?? [];
    browser.pushed.push({
      headers: req.headers,
      message: browser.read(Buffer.concat(chunks)),
      claims: await claimsOf(token, publicKey),
      publicKey,
    });
    res.writeHead(browser.answer).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `https://127.0.0.1:${port}`;

  return {
    origin,
    settings: { ...settings, OUTBOUND_ALLOW: `127.0.0.1:${port}` },
    /** Subscribes a new browser. */
    subscribe: () => {
      const path = `/push/${randomBytes(12).toString('base64url')}`;
      const keys = createECDH('prime256v1');
      const own = keys.generateKeys();
      const auth = randomBytes(16);
      const state = { answer: 201, read: (body: Buffer) => read(body, keys, own, auth), pushed: [] as PushMessage[] };
      browsers.set(path, state);
      return {
        subscription: {
          endpoint: origin + path,
          keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') },
        },
        pushed: state.pushed,
        answer: (status: number) => {
          state.answer = status;
        },
        nth: async (n: number): Promise<PushMessage> => {
          await until(`${n} messages have come`, () => state.pushed.length >= n);
          return state.pushed[n - 1] as PushMessage;
        },
      };
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
      remove();
    },
  };
};

/** RFC 8291 and RFC 8188, as a browser does it. */
const read = (body: Buffer, keys: ReturnType<typeof createECDH>, own: Buffer, auth: Buffer) => {
  const [salt, theirs] = [body.subarray(0, 16), body.subarray(21, 21 + (body[20] ?? 0))];
  const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, theirs]);
  const secret = derive(keys.computeSecret(theirs), auth, info, 32);
  const content = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const sealed = body.subarray(21 + theirs.length);
  const opening = createDecipheriv('aes-128-gcm', content, nonce).setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([opening.update(sealed.subarray(0, -16)), opening.final()]);
  return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString());
};

const claimsOf = async (token: string, publicKey: string) => {
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' };
  return (await jwtVerify(token, await importJWK(jwk, 'ES256'))).payload;
};
