import type { RequestHandler } from 'express';
import { systemClock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import { Refusal } from '#server/base/errors';

/**
 * RFC 9116 asks for an expiry date within a year. It is computed from the day of the request, so that it never passes.
 */
const validMs = 180 * 24 * 3_600_000;

/** `/.well-known/security.txt`: where to report a flaw of this installation. Not served without SECURITY_CONTACT. */
export const securityText = ({ securityContact, baseUrl }: Config): RequestHandler<Record<string, string>> => {
  return (_req, res) => {
    if (securityContact === undefined)
      throw new Refusal('NotFound', 'This installation names no security contact. Ask the person who runs it.');
    const expires = new Date(systemClock.now().getTime() + validMs).toISOString().slice(0, 10);
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${expires}T00:00:00.000Z`,
      `Canonical: ${baseUrl}/.well-known/security.txt`,
      `Policy: ${baseUrl}/help/security`,
      'Preferred-Languages: en',
    ];
    res.type('text/plain').send(`${lines.join('\n')}\n`);
  };
};
