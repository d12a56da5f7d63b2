import type { Request, RequestHandler, Response } from 'express';
import type { Refusals, SandboxGrant, SandboxKit, SandboxPerson } from '#server/networks/sandbox';

/** Authentication and error responses of the sandbox. */

export const ok = { code: 'ok', message: '', log_id: 'sandbox' };
export const refuse = (res: Response, status: number, code: string, message: string) => {
  res.status(status).send({ data: {}, error: { code, message, log_id: 'sandbox' } });
};
export const invalid = (res: Response, message: string) => refuse(res, 400, 'invalid_param', message);

const tooMany = (res: Response) => refuse(res, 429, 'rate_limit_exceeded', 'The API rate limit was exceeded.');
export const refusals: Refusals = {
  // TikTok documents no header with the retry delay.
  '429': tooMany,
  '429-bare': tooMany,
  '503': (res) => refuse(res, res.statusCode === 500 ? 500 : 503, 'internal_error', 'Something went wrong.'),
  'expired-token': (res) => refuse(res, 401, 'access_token_invalid', 'The access token is invalid or not found.'),
  'refused-token': (res) => refuse(res, 401, 'access_token_invalid', 'The access token is invalid or not found.'),
  'missing-permission': (res) =>
    refuse(res, 401, 'scope_not_authorized', 'The user did not authorize the scope required.'),
  'content-refused': (res) => refuse(res, 403, 'spam_risk_text', 'The text has risky or spammy contents.'),
  'media-refused': (res) => refuse(res, 400, 'invalid_file_upload', 'The uploaded file does not meet specifications.'),
};

export const isPrivate = ({ handle }: SandboxPerson) => handle.startsWith('private');
export const privacyOptions = (person: SandboxPerson) => [
  isPrivate(person) ? 'FOLLOWER_OF_CREATOR' : 'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
  'SELF_ONLY',
];

export const tooManyDrafts = (res: Response) =>
  refuse(res, 403, 'spam_risk_too_many_pending_share', 'The user has too many drafts that are not finished.');

export const fieldsOf = (req: Request) => String(req.query.fields ?? '').split(',');

export type SignedIn = ReturnType<typeof createSignedIn>;

/** The grant behind the bearer token, if it has the scope. */
export const createSignedIn =
  (kit: SandboxKit) =>
  (
    scope: string | ((req: Request) => string),
    work: (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>,
  ): RequestHandler =>
  async (req, res) => {
    const secret = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
    const grant = await kit.grants.find('access', secret);
    if (grant === undefined || grant.expired) return refusals['expired-token'](res);
    if (!grant.scopes.includes(typeof scope === 'string' ? scope : scope(req)))
      return refusals['missing-permission'](res);
    if (req.method === 'POST' && !req.is('application/json')) return invalid(res, 'Content-Type must be JSON');
    await work(req, res, grant);
  };
