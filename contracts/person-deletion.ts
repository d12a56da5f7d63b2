import { z } from 'zod';
import { appRoute, Done, type Route } from './define.ts';
import { FactorProof } from './passkeys.ts';
import { Membership, SessionRecord } from './people.ts';

const { id, email, name, timeZone } = SessionRecord.shape.user.shape;

export const personDeletionRoutes = {
  exportSelf: appRoute({
    method: 'GET',
    path: '/api/app/profile/export',
    tag: 'Session',
    summary: 'Read what is stored of you',
    description: 'What deleteSelf removes, to save first. Posts and comments are in the exports of the workspaces.',
    answer: z.object({ id, email, name, timeZone, workspaces: z.array(Membership).describe('Those you are in') }),
  }),

  deleteSelf: appRoute({
    method: 'POST',
    path: '/api/app/profile/delete',
    tag: 'Session',
    summary: 'Delete yourself',
    description:
      'For good: sign-in, name, address, tokens, chats and factors. Posts, comments and decisions stay, by “A former member”. Conflict for the last owner of a workspace, unless it waits to be deleted, and for whoever set Posthorn up.',
    body: FactorProof.extend({ email: email.describe('Your address, to confirm') }),
    answer: Done,
    more: ['Conflict'],
  }),
} as const satisfies Record<string, Route>;
export type PersonDeletionRoutes = typeof personDeletionRoutes;
