import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An OpenID Connect provider with claims that the test chooses. */
export const startOutsideProvider = async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] };
  const codes = new Map<string, { nonce: string; claims: Record<string, unknown> }>();
  const server = createServer(async (req, res) => {
    const answer = (body: unknown) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (req.url === '/.well-known/openid-configuration') {
      return answer({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['ES256'],
      });
    }
    if (req.url === '/jwks') return answer(keys);
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const code = new URLSearchParams(Buffer.concat(chunks).toString()).get('code') ?? '';
    const { nonce, claims } = codes.get(code) ?? { nonce: '', claims: {} };
    const idToken = await new SignJWT({ nonce, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(url)
      .setAudience('posthorn')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    answer({ access_token: 'opaque', token_type: 'Bearer', id_token: idToken });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    settings: { AUTH_URL: url, AUTH_CLIENT_ID: 'posthorn' },
    /** The query that its user comes back with. */
    answer: (authorizationUrl: string, claims: Record<string, unknown>) => {
      const params = new URL(authorizationUrl).searchParams;
      const code = `code-${codes.size + 1}`;
      codes.set(code, { nonce: params.get('nonce') ?? '', claims });
      return new URLSearchParams({ code, state: params.get('state') ?? '', iss: url }).toString();
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
