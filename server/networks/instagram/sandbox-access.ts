import type { Request, Response } from 'express';
import { notThere, refusalsOf, refuse, signedInAs } from '#server/networks/families/meta/sandbox';
import type { SandboxGrant, SandboxKit, SandboxPerson } from '#server/networks/sandbox';

/** Authentication and error responses of the sandbox. */

export const refusals = refusalsOf({
  limit: { code: 4, type: 'instagram', message: '(#4) Application request limit reached' },
  permission: { code: 10, message: '(#10) Application does not have permission for this action' },
  content: {
    code: 4,
    subcode: 2207051,
    message: 'Application request limit reached',
    words: 'We restrict certain activity to protect our community.',
  },
  media: {
    code: 9004,
    subcode: 2207052,
    message: 'Only photo or video can be accepted as media type.',
    words: 'The media could not be fetched from this URI.',
  },
});

export type SignedIn = ReturnType<typeof createSignedIn>;

/** A one-hour token works like a 60-day token. */
export const createSignedIn = (kit: SandboxKit) => signedInAs(kit, refusals, 'access', 'short');

/** Seventeen digits: more than a JSON number holds exactly. */
export const userId = ({ id }: SandboxPerson) => `17841${id}`;

/** False when it has answered. */
export const isSelf = (req: Request, res: Response, { person }: SandboxGrant) => {
  if (req.params.id === userId(person)) return true;
  refuse(res, notThere);
  return false;
};
