import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { hourMs } from '#contracts/time';
import type { SandboxKit, SandboxPerson } from '#server/networks/sandbox';
import { type Access, badRequest, personBy, refuse, secondsOf, secretOf } from './sandbox-access.ts';
import { didOf } from './sandbox-ids.ts';

const accessLifeMs = 2 * hourMs;
const refreshLifeMs = 90 * 24 * hourMs;
/** How long a refresh token still works after it was used. */
const graceMs = 2 * hourMs;

export const mountSessions = (xrpc: Router, kit: SandboxKit, { token, refusals }: Access) => {
  const session = async (req: Request, res: Response, person: SandboxPerson) => {
    res.send({
      did: didOf(person),
      didDoc: didDoc(kit, req, person),
      handle: person.handle,
      accessJwt: await token('access', person, accessLifeMs, { scope: 'com.atproto.appPass' }),
      refreshJwt: await token('refresh', person, refreshLifeMs, { scope: 'com.atproto.refresh' }),
      active: true,
    });
  };

  xrpc.post('/com.atproto.server.createSession', async (req, res) => {
    const parsed = z.object({ identifier: z.string(), password: z.string() }).safeParse(req.body);
    if (!parsed.success) return badRequest(res, 'Input must have the property "identifier"');
    const { identifier, password } = parsed.data;
    const refused = () => refuse(res, 401, 'AuthenticationRequired', 'Invalid identifier or password');
    if (password === '' || password === 'wrong') return refused();
    if (identifier.startsWith('did:')) {
      const person = await personBy(kit, identifier);
      return person ? session(req, res, person) : refused();
    }
    if (!isHandle(identifier)) return refused();
    const person = await kit.people.signIn(identifier.toLowerCase());
    await kit.records.put('identifier', person.handle, { person: person.id });
    await kit.records.put('identifier', didOf(person), { person: person.id });
    await session(req, res, person);
  });

  xrpc.post('/com.atproto.server.refreshSession', async (req, res) => {
    const secret = secretOf(req);
    const grant = await kit.grants.find('refresh', secret);
    if (grant === undefined) return refusals['refused-token'](res);
    const usedAt = await kit.records.get<string>('refreshed', secret);
    const isOver = usedAt !== undefined && Date.parse(usedAt) + graceMs < kit.now().getTime();
    if (grant.expired || isOver) return refuse(res, 400, 'ExpiredToken', 'Token has been revoked');
    await kit.records.add('refreshed', secret, kit.now().toISOString());
    await session(req, res, grant.person);
  });

  xrpc.post('/com.atproto.server.deleteSession', async (req, res) => {
    const grant = await kit.grants.take('refresh', secretOf(req));
    if (grant === undefined) return refusals['refused-token'](res);
    res.send();
  });
};

const didDoc = (kit: SandboxKit, req: Request, person: SandboxPerson) => ({
  '@context': ['https://www.w3.org/ns/did/v1'],
  id: didOf(person),
  alsoKnownAs: [`at://${person.handle}`],
  service: [
    {
      id: '#atproto_pds',
      type: 'AtprotoPersonalDataServer',
      serviceEndpoint: kit.here(req).replace(/\/xrpc$/, ''),
    },
  ],
});

const isHandle = (text: string) =>
  /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(text);

export const mountPeople = (xrpc: Router, kit: SandboxKit, { token, signedIn }: Access) => {
  xrpc.get(
    '/app.bsky.actor.getProfile',
    signedIn(async (req, res) => {
      const person = await personBy(kit, String(req.query.actor ?? ''));
      if (!person) return badRequest(res, 'Profile not found');
      res.send({ did: didOf(person), handle: person.handle, displayName: person.name, avatar: person.avatarUrl });
    }),
  );

  xrpc.get('/com.atproto.identity.resolveHandle', async (req, res) => {
    const handle = String(req.query.handle ?? '');
    const person = isHandle(handle) ? await personBy(kit, handle) : undefined;
    if (!person) return badRequest(res, 'Unable to resolve handle');
    res.send({ did: didOf(person) });
  });

  xrpc.get(
    '/com.atproto.server.getServiceAuth',
    signedIn(async (req, res, { person }) => {
      const { aud, lxm, exp } = req.query;
      const life = Number(exp) - secondsOf(kit);
      const here = `did:web:${encodeURIComponent(req.get('host') ?? '')}`;
      const isForVideos = aud === 'did:web:video.bsky.app' && lxm === 'app.bsky.video.getUploadLimits';
      if (aud !== here && !isForVideos) return badRequest(res, 'aud must be a DID');
      if (!(life > 0 && life <= 3_600)) return refuse(res, 400, 'BadExpiration', 'The expiration is not allowed');
      res.send({ token: await token('service', person, life * 1000, { aud, lxm }) });
    }),
  );
};
