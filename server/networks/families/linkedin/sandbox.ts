import { type Request, type RequestHandler, type Response, Router } from 'express';
import { dayMs } from '#contracts/time';
import type { Refusals, SandboxGrant, SandboxKit, SandboxPerson } from '#server/networks/sandbox';

/** LinkedIn's OAuth 2 and the rules of its versioned API, as its reference describes them. */

interface SandboxRules {
  /** The scopes that the app was approved for. */
  readonly scopes: readonly string[];
  /** How the token endpoint separates scopes; LinkedIn does both. */
  readonly scopeSeparator: ' ' | ',';
  readonly writeScope: string;
  /** Whether images can be read back, which takes more than writing. */
  readonly tellsImages: boolean;
  readonly visibilities: readonly string[];
  /** Whom a person may post as. */
  authorsOf(person: SandboxPerson): readonly { readonly urn: string; readonly name: string }[];
}

export type LinkedinSandbox = ReturnType<typeof createLinkedinSandbox>;

const accessLifeMs = 60 * dayMs;
const refreshLifeMs = 365 * dayMs;
const codeLifeMs = 30 * 60_000;
/** Versions live a year; older ones are gone. */
const oldestVersion = '202601';

export const fail = (res: Response, status: number, code: string, message: string, serviceErrorCode?: number) => {
  res.status(status).send({ status, code, message, serviceErrorCode });
};

/** The answer to an invalid body. */
export const failInput = (res: Response, status: number, code: string, message: string) => {
  res.status(status).send({
    errorDetailType: 'com.linkedin.common.error.BadRequest',
    message,
    errorDetails: { inputErrors: [{ description: message, input: { inputPath: { fieldPath: '' } }, code }] },
    status,
  });
};

const refusals: Refusals = {
  '429': (res) => {
    res.setHeader('retry-after', '60');
    fail(res, 429, 'TOO_MANY_REQUESTS', 'Too many requests.', 101);
  },
  '429-bare': (res) =>
    fail(
      res,
      429,
      'TOO_MANY_REQUESTS',
      'Resource level throttle APPLICATION DAY limit for calls to this resource is reached.',
      101,
    ),
  '503': (res) =>
    res.statusCode === 500
      ? fail(res, 500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error')
      : fail(res, 503, 'SERVICE_UNAVAILABLE', 'Service Unavailable'),
  'expired-token': (res) => fail(res, 401, 'EXPIRED_ACCESS_TOKEN', 'The token used in the request has expired', 65_602),
  'refused-token': (res) =>
    fail(res, 401, 'REVOKED_ACCESS_TOKEN', 'The token used in the request has been revoked by the user', 65_601),
  'missing-permission': (res) => fail(res, 403, 'ACCESS_DENIED', 'Not enough permissions to access: POST /posts', 100),
  'content-refused': (res) => failInput(res, 422, 'INVALID_VALUE_FOR_FIELD', 'The commentary is not allowed'),
  'media-refused': (res) =>
    failInput(res, 400, 'MEDIA_ASSET_PROCESSING_FAILED', 'The media asset could not be processed'),
};

export const createLinkedinSandbox = (kit: SandboxKit, rules: SandboxRules) => {
  const router = Router();
  addSignIn(router, kit, rules);

  /** The grant behind the bearer token, if it has the scopes. */
  const signedIn =
    (
      scopes: readonly string[],
      work: (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>,
    ): RequestHandler =>
    async (req, res) => {
      const secret = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1];
      if (secret === undefined) return fail(res, 401, 'EMPTY_ACCESS_TOKEN', 'Empty oauth2 access token', 65_604);
      const grant = await kit.grants.find('access', secret);
      if (grant === undefined) return fail(res, 401, 'INVALID_ACCESS_TOKEN', 'Invalid access token', 65_600);
      if (grant.expired) return refusals['expired-token'](res);
      if (!scopes.every((scope) => grant.scopes.includes(scope))) return refusals['missing-permission'](res);
      await work(req, res, grant);
    };

  router.use('/api/rest', (req, res, next) => {
    const version = req.get('LinkedIn-Version');
    if (version === undefined) return fail(res, 400, 'VERSION_MISSING', 'A version must be present.');
    if (!/^\d{4}(0[1-9]|1[0-2])$/.test(version) || version < oldestVersion) {
      return fail(res, 426, 'NONEXISTENT_VERSION', `Requested version ${version} is not active`);
    }
    if (req.get('X-Restli-Protocol-Version') !== '2.0.0') {
      return fail(res, 400, 'ILLEGAL_ARGUMENT', 'Rest.li protocol version 2.0.0 is needed');
    }
    // The path of an address is not decoded here: a URN in it has to be encoded.
    if (req.path.includes(':')) return fail(res, 400, 'ILLEGAL_ARGUMENT', 'Syntax exception in path variables');
    next();
  });

  return {
    kit,
    rules,
    router,
    refusals,
    signedIn,
    authorOf: (person: SandboxPerson, urn: string) => rules.authorsOf(person).find((author) => author.urn === urn),
  };
};

const addSignIn = (router: Router, kit: SandboxKit, { scopes: appScopes, scopeSeparator }: SandboxRules) => {
  // The reference has spaces between them; LinkedIn's own client sends commas.
  const scopesOf = (query: Readonly<Record<string, string>>) => (query.scope ?? '').split(/[ ,]/);

  router.all(
    '/web/oauth/v2/authorization',
    kit.consent({
      check: (query) => {
        if (query.response_type !== 'code') return 'response_type must be code';
        if (query.client_id !== 'sandbox') return 'client_id is not known';
        if (!query.redirect_uri) return 'redirect_uri is missing';
        if (!query.state) return 'state is missing';
        const strange = scopesOf(query).find((scope) => !appScopes.includes(scope));
        return strange === undefined ? undefined : `Scope "${strange}" is not authorized for your application`;
      },
      scopesOf,
      codeLifeMs,
      states: {
        selfserve: 'Connects through an app of self-service, which gets no refresh token: connect again after 60 days',
        noproduct: 'Connects through an app that lacks the product for these permissions',
      },
      refusalOf: (handle) =>
        handle.includes('noproduct')
          ? ['unauthorized_scope_error', `Scope "${appScopes.at(-1)}" is not authorized for your application`]
          : undefined,
    }),
  );

  const refuse = (res: Response, status: number, error: string, error_description: string) =>
    res.status(status).send({ error, error_description });

  router.post('/web/oauth/v2/revoke', async (req, res) => {
    const { client_id, client_secret, token = '' } = (req.body ?? {}) as Record<string, string>;
    if (client_id !== 'sandbox' || client_secret !== 'sandbox') {
      return refuse(res, 401, 'invalid_client', 'Client authentication failed');
    }
    await kit.grants.take('access', token);
    await kit.grants.take('refresh', token);
    res.send();
  });

  const secondsUntil = (instant: string) => Math.floor((Date.parse(instant) - kit.now().getTime()) / 1000);

  router.post('/web/oauth/v2/accessToken', async (req, res) => {
    if (!req.is('application/x-www-form-urlencoded')) {
      return refuse(res, 400, 'invalid_request', 'The content type must be application/x-www-form-urlencoded');
    }
    const form = req.body as Record<string, string>;
    if (form.client_id !== 'sandbox' || form.client_secret !== 'sandbox') {
      return refuse(res, 401, 'invalid_client', 'Client authentication failed');
    }
    const answer = async ({ person, scopes }: SandboxGrant, refresh: string, refreshUntil: string) => {
      const isSelfServe = person.handle.includes('selfserve');
      res.send({
        access_token: await kit.grants.issue('access', { person, scopes, lifeMs: accessLifeMs }),
        expires_in: accessLifeMs / 1000,
        ...(!isSelfServe && { refresh_token: refresh, refresh_token_expires_in: secondsUntil(refreshUntil) }),
        scope: scopes.join(scopeSeparator),
        token_type: 'Bearer',
      });
    };

    if (form.grant_type === 'refresh_token') {
      const secret = form.refresh_token ?? '';
      const grant = await kit.grants.find('refresh', secret);
      if (grant === undefined || grant.expired) {
        return refuse(res, 400, 'invalid_grant', 'The provided authorization grant or refresh token is invalid');
      }
      // The refresh token stays the same, and its lifetime is not extended.
      return answer(grant, secret, (grant.data as { until: string }).until);
    }
    if (form.grant_type !== 'authorization_code') {
      return refuse(res, 400, 'unsupported_grant_type', 'The grant type is not supported');
    }
    const grant = await kit.grants.take('code', form.code ?? '');
    const grantData = (grant?.data ?? {}) as Record<string, string>;
    if (grant === undefined || grant.expired || grantData.redirect_uri !== form.redirect_uri) {
      return refuse(
        res,
        400,
        'invalid_redirect_uri',
        'Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired.',
      );
    }
    const until = new Date(kit.now().getTime() + refreshLifeMs).toISOString();
    const { person, scopes } = grant;
    const refresh = await kit.grants.issue('refresh', { person, scopes, lifeMs: refreshLifeMs, data: { until } });
    return answer(grant, refresh, until);
  });
};
