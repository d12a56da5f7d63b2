import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { ClientMetadata } from 'oidc-provider';
import { BadMetadata, type RegisteredClient, type Registrations } from '#server/access/auth/registrations';
import { Refusal } from '#server/base/errors';
import { isLoopback } from './client-documents.ts';

/** `/auth/register` (RFC 7591), open to everybody: a registered client can do no more than ask a person for consent. */
export const registrationRoute = (register: Registrations['register']) => {
  const answer = async (req: Request, res: Response) => {
    const { at, ...client } = await register(req.body, req.ip ?? '');
    res.status(201).json({
      ...metadataOf(client),
      client_id_issued_at: Math.floor(at.getTime() / 1000),
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  };
  return Router()
    .post('/', express.json({ limit: '16kb' }), answer)
    .use(refuse);
};

/** Always a public client, whatever the registration asked for. */
export const metadataOf = ({ id, name, redirectUris }: RegisteredClient): ClientMetadata => ({
  client_id: id,
  client_name: name,
  redirect_uris: [...redirectUris],
  // A local program picks a free port at start, and the library accepts any port only for native clients. It refuses
  // https to the local machine from those.
  application_type: redirectUris.some(isLoopback) && !redirectUris.some(isHttpsLoopback) ? 'native' : 'web',
});

const isHttpsLoopback = (uri: string) => /^https:/i.test(uri) && isLoopback(uri.replace(/^https/i, 'http'));

const refuse: ErrorRequestHandler = (error, _req, res, next) => {
  if (error instanceof Refusal && error.code === 'TooManyRequests') {
    res.setHeader('retry-after', error.retryAfterSeconds ?? 60);
    res.status(429).json({ error: 'temporarily_unavailable', error_description: error.message });
  } else if (error instanceof BadMetadata) {
    res.status(400).json({ error: error.error, error_description: error.message });
  } else if (error.status >= 400 && error.status < 500) {
    const description = 'The body must be a JSON object of at most 16 kB, with content-type application/json.';
    res.status(400).json({ error: 'invalid_client_metadata', error_description: description });
  } else next(error);
};
