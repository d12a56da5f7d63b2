import type { Response } from 'express';
import { refuse } from '#server/networks/families/google/sandbox';
import type { Json } from '#server/networks/network';
import type { Refusals, SandboxKit } from '#server/networks/sandbox';
import { signedInWith } from '#server/networks/shared/signed-in';

/** Authentication and error responses of the sandbox. */

export const manage = 'https://www.googleapis.com/auth/business.manage';

export const invalid = (res: Response, field: string, message: string, code = 2) =>
  refuse(res, {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Request contains an invalid argument.',
    details: [
      {
        '@type': 'type.googleapis.com/google.mybusiness.v4.ValidationError',
        errorDetails: [{ code, field, message }],
      },
    ],
  });

const unauthenticated = (res: Response) =>
  refuse(res, {
    code: 401,
    status: 'UNAUTHENTICATED',
    message: 'Request had invalid authentication credentials. Expected OAuth 2 access token.',
  });

const exhausted = (res: Response, details: Readonly<Record<string, Json>>[]) =>
  refuse(res, {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'.",
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'RATE_LIMIT_EXCEEDED',
        metadata: { quota_limit_value: '300' },
      },
      ...details,
    ],
  });

export const photoFetchFailed = 1000;

export const refusals: Refusals = {
  '429': (res) => exhausted(res, [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '60s' }]),
  '429-bare': (res) => exhausted(res, []),
  '503': (res) =>
    refuse(res, {
      code: res.statusCode === 500 ? 500 : 503,
      status: 'UNAVAILABLE',
      message: 'The service is currently unavailable.',
    }),
  'expired-token': unauthenticated,
  'refused-token': unauthenticated,
  'missing-permission': (res) =>
    refuse(res, {
      code: 403,
      status: 'PERMISSION_DENIED',
      message: 'Request had insufficient authentication scopes.',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }],
    }),
  'content-refused': (res) => invalid(res, 'summary', 'The summary is not valid.'),
  'media-refused': (res) => invalid(res, 'media', 'Failed to fetch the photo from the provided URL.', photoFetchFailed),
};

export const notTheirs = (res: Response) =>
  refuse(res, { code: 403, status: 'PERMISSION_DENIED', message: 'The caller does not have permission' });

export const notFound = (res: Response) =>
  refuse(res, { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' });

export type SignedIn = ReturnType<typeof createSignedIn>;

export const createSignedIn = (kit: SandboxKit) => signedInWith(kit, refusals);
