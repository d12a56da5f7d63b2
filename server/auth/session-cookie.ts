import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '#server/errors';
import type { WhoIsSignedIn } from '#server/signed-in';
import type { Sessions } from './sessions.ts';

export type SessionDoor = ReturnType<typeof createSessionDoor>;

/** The session cookie, in and out. On https its name binds it to this host. */
export const createSessionDoor = ({ sessions, baseUrl }: { sessions: Sessions; baseUrl: string }) => {
  const { origin, protocol } = new URL(baseUrl);
  const https = protocol === 'https:';
  const name = https ? '__Host-sid' : 'sid';
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;
  const pattern = new RegExp(`(?:^|; *)${name}=([\\w-]{43})(?:;|$)`);

  const secretOf = (req: IncomingMessage) => pattern.exec(req.headers.cookie ?? '')?.[1];

  const who: WhoIsSignedIn = async (req) => {
    const secret = secretOf(req);
    return secret === undefined ? undefined : sessions.who(secret);
  };

  return {
    secretOf,
    who,

    set: (res: ServerResponse, secret: string) => {
      res.appendHeader('set-cookie', `${name}=${secret}${attributes}; Max-Age=${90 * 24 * 60 * 60}`);
    },

    clear: (res: ServerResponse) => {
      res.appendHeader('set-cookie', `${name}=${attributes}; Max-Age=0`);
    },

    /** A browser says where a request comes from; one that a cookie authorises must come from our own pages. */
    mustBeOwnPage: (req: IncomingMessage) => {
      const site = req.headers['sec-fetch-site'];
      if (site === undefined ? req.headers.origin !== origin : site !== 'same-origin') {
        throw new Refusal('Forbidden', 'This request comes from another site. Use the pages of Posthorn itself.');
      }
    },
  };
};
