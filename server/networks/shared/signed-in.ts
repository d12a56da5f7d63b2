import type { Request, RequestHandler, Response } from 'express';
import type { Refusals, SandboxGrant, SandboxKit } from '#server/networks/sandbox';

/** For sandboxes: the grant behind the bearer token, if it has the scope. */
export const signedInWith =
  (kit: SandboxKit, refusals: Refusals) =>
  (scope: string, work: (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>): RequestHandler =>
  async (req, res) => {
    const secret = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
    const grant = await kit.grants.find('access', secret);
    if (grant === undefined || grant.expired) return refusals['expired-token'](res);
    if (!grant.scopes.includes(scope)) return refusals['missing-permission'](res);
    await work(req, res, grant);
  };
