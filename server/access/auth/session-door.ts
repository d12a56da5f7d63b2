import type { IncomingMessage, ServerResponse } from 'node:http';
import { isUrl } from '#contracts/is-url';
import { Refusal } from '#server/base/errors';
import type { WhoIsSignedIn } from '#server/base/signed-in';
import type { Sessions } from './sessions.ts';

export type SessionDoor = ReturnType<typeof createSessionDoor>;

/** Reads and sets the session cookie. On https, the `__Host-` prefix binds it to this host. */
export const createSessionDoor = ({
  sessions,
  baseUrl,
  onOtherOrigin = () => undefined,
}: {
  sessions: Sessions;
  baseUrl: string;
  /** Called when a page of ours was opened at another address than BASE_URL. */
  onOtherOrigin?: (origin: string) => void;
}) => {
  const { origin, protocol } = new URL(baseUrl);
  const https = protocol === 'https:';
  const name = https ? '__Host-sid' : 'sid';
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;
  const pendingName = https ? '__Host-pending' : 'pending';
  const pattern = new RegExp(`(?:^|; *)${name}=([\\w-]{43})(?:;|$)`);

  const pendingPattern = new RegExp(`(?:^|; *)${pendingName}=([\\w-]{43})(?:;|$)`);

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

    pendingOf: (req: IncomingMessage) => pendingPattern.exec(req.headers.cookie ?? '')?.[1],

    /** For a sign-in that waits for the second factor; empty when it ends. */
    setPending: (res: ServerResponse, secret: string) => {
      res.appendHeader('set-cookie', `${pendingName}=${secret}${attributes}; Max-Age=${secret === '' ? 0 : 600}`);
    },

    /** Browsers send the origin of a request. One that a cookie authorises must come from our own pages (CSRF). */
    mustBeOwnPage: (req: IncomingMessage) => {
      const { origin: from, host, 'sec-fetch-site': site } = req.headers;
      // Without https, browsers send no `Sec-Fetch-Site`, only the origin.
      const isOurs = site === undefined ? hostOf(from) === host : site === 'same-origin';
      const isElsewhere = from !== undefined && from !== origin && isOurs;
      if (isElsewhere) onOtherOrigin(from);
      if (site === undefined ? from === origin : site === 'same-origin') return;
      throw new Refusal(
        'Forbidden',
        isElsewhere
          ? `This page was opened at ${from.slice(0, 200)}, but Posthorn is at ${baseUrl}. Open it there. If that is wrong, its operator sets BASE_URL to the address that people use.`
          : `This request comes from another site. Use the pages of Posthorn itself, at ${baseUrl}.`,
      );
    },
  };
};

const hostOf = (origin = '') => (isUrl(origin) ? new URL(origin).host : undefined);
