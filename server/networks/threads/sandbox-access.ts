import type { Request, Response } from 'express';
import { notThere, type Refusal, refusalsOf, refuse, signedInAs } from '#server/networks/families/meta/sandbox';
import type { SandboxGrant, SandboxKit, SandboxPerson } from '#server/networks/sandbox';

/** Authentication and error responses of the sandbox. */

const permission = { code: 10, message: '(#10) Application does not have permission for this action' };
/** A permission that the person did not give. */
export const notAllowed: Refusal = { status: 403, ...permission };

export const refusals = refusalsOf({
  limit: { code: 613, type: 'threads', message: '(#613) Calls to this api have exceeded the rate limit.' },
  permission,
  content: { code: 100, subcode: 2207051, message: 'Action is blocked', words: 'We restrict certain activity.' },
  media: {
    code: 100,
    subcode: 2207052,
    message: 'Invalid parameter',
    words: 'The media could not be fetched from this URI.',
  },
});

export const noMedia = {
  code: 24,
  subcode: 4279009,
  message: 'The requested resource does not exist: Media Not Found',
};

export type SignedIn = ReturnType<typeof createSignedIn>;

/** A one-hour token works like a 60-day token. */
export const createSignedIn = (kit: SandboxKit) => signedInAs(kit, refusals, 'access', 'short');

export const userId = ({ id }: SandboxPerson) => `17841${id}`;

/** False when it has answered. */
export const isSelf = (req: Request, res: Response, { person }: SandboxGrant) => {
  if (['me', userId(person)].includes(String(req.params.id))) return true;
  refuse(res, notThere);
  return false;
};
