import type { Request, RequestHandler, Response } from 'express';
import type { Refusals, SandboxGrant, SandboxKit } from '#server/networks/sandbox';

/** Authentication and error responses of the sandbox. */

export const refuse = (res: Response, status: number, code: number, message: string) => {
  res.status(status).send({ code, message });
};
export const invalid = (res: Response, message: string) => refuse(res, 400, 1, message);
export const notAuthenticated = (res: Response) => refuse(res, 401, 2, 'Authentication failed.');
export const brokenImage = (res: Response) =>
  refuse(res, 403, 235, "The Pin's image is too small, too large or is broken.");

export const refusals: Refusals = {
  '429': (res) => {
    res.setHeader('x-ratelimit-limit', '100, 100;w=60');
    res.setHeader('x-ratelimit-remaining', '0');
    res.setHeader('x-ratelimit-reset', '60');
    refuse(res, 429, 8, 'You have exceeded your rate limit. Try again later.');
  },
  '429-bare': (res) => refuse(res, 429, 8, 'You have exceeded your rate limit. Try again later.'),
  '503': (res) => refuse(res, res.statusCode === 500 ? 500 : 503, 11, 'Something went wrong on our end.'),
  'expired-token': notAuthenticated,
  'refused-token': notAuthenticated,
  'missing-permission': (res) =>
    refuse(res, 401, 3, 'Your token does not have sufficient permissions to perform this operation.'),
  'content-refused': (res) => invalid(res, 'Sorry, we blocked this link because it may lead to spam.'),
  'media-refused': brokenImage,
};

export type SignedIn = ReturnType<typeof createSignedIn>;

/** The grant behind the bearer token, if it has the scopes. */
export const createSignedIn =
  (kit: SandboxKit) =>
  (
    scopes: readonly string[],
    work: (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>,
  ): RequestHandler =>
  async (req, res) => {
    const secret = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
    const grant = await kit.grants.find('access', secret);
    if (grant === undefined || grant.expired) return notAuthenticated(res);
    if (!scopes.every((scope) => grant.scopes.includes(scope))) return refusals['missing-permission'](res);
    await work(req, res, grant);
  };
