import type { Request, RequestHandler, Response } from 'express';
import type { Refusals, SandboxGrant, SandboxKit, SandboxPerson } from '#server/networks/sandbox';
import { didOf } from './sandbox-ids.ts';

/** Authentication and error responses of the sandbox. */

export const refuse = (res: Response, status: number, error: string, message: string) => {
  res.status(status).send({ error, message });
};
export const badRequest = (res: Response, message: string) => refuse(res, 400, 'InvalidRequest', message);

const refusalsOf = ({ now }: SandboxKit): Refusals => ({
  '429': (res) => {
    res.set({
      'ratelimit-limit': '5000',
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Math.ceil(now().getTime() / 1000) + 60),
      'ratelimit-policy': '5000;w=3600',
    });
    refuse(res, 429, 'RateLimitExceeded', 'Rate Limit Exceeded');
  },
  '429-bare': (res) => refuse(res, 429, 'RateLimitExceeded', 'Rate Limit Exceeded'),
  '503': (res) =>
    res.statusCode === 500
      ? refuse(res, 500, 'InternalServerError', 'Internal Server Error')
      : refuse(res, 503, 'NotEnoughResources', 'Service Unavailable'),
  'expired-token': (res) => refuse(res, 400, 'ExpiredToken', 'Token has expired'),
  'refused-token': (res) => refuse(res, 400, 'InvalidToken', 'Token could not be verified'),
  'missing-permission': (res) => refuse(res, 403, 'InsufficientScope', 'Missing required scope'),
  'content-refused': (res) =>
    badRequest(
      res,
      'Invalid app.bsky.feed.post record: grapheme too big (maximum 300, got 301) at $.writes[0].record.text',
    ),
  'media-refused': (res) =>
    refuse(res, 400, 'BlobTooLarge', 'This file is too large. It is 2.05MB but the maximum size is 2MB.'),
});

export const tooLarge = (res: Response) => refuse(res, 413, 'PayloadTooLarge', 'request entity too large');

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

export const secretOf = (req: Request) =>
  /^Bearer [^.]+\.[^.]+\.([^.]+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';

/** The person with this identifier, a handle or a DID. */
export const personBy = async (kit: SandboxKit, identifier: string) => {
  const record = await kit.records.get<{ person: string }>('identifier', identifier.toLowerCase());
  return record && kit.people.get(record.person);
};

export type Access = ReturnType<typeof createAccess>;

export const createAccess = (kit: SandboxKit) => {
  const refusals = refusalsOf(kit);
  return {
    refusals,

    /** The grant's secret takes the place of a real token's signature. */
    token: async (
      use: string,
      person: SandboxPerson,
      lifeMs: number,
      claims: { readonly lxm?: unknown; readonly [claim: string]: unknown } = {},
    ) => {
      const scopes = claims.lxm === undefined ? [] : [String(claims.lxm)];
      const secret = await kit.grants.issue(use, { person, scopes, lifeMs });
      const iat = secondsOf(kit);
      return [
        encoded({ alg: 'HS256', typ: use === 'access' ? 'at+jwt' : `${use}+jwt` }),
        encoded({ sub: didOf(person), iat, exp: iat + lifeMs / 1000, ...claims }),
        secret,
      ].join('.');
    },

    signedIn:
      (work: (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>): RequestHandler =>
      async (req, res) => {
        if (!req.headers.authorization) return refuse(res, 401, 'AuthMissing', 'Authentication Required');
        const grant = await kit.grants.find('access', secretOf(req));
        if (grant === undefined) return refusals['refused-token'](res);
        if (grant.expired) return refusals['expired-token'](res);
        await work(req, res, grant);
      },
  };
};

export const secondsOf = ({ now }: SandboxKit) => Math.floor(now().getTime() / 1000);
