import type { Response } from 'express';
import type { Refusals, SandboxKit } from '#server/networks/sandbox';

/** Error responses of the sandbox. */

export const maxCharacters = 500;

export const refuse = (res: Response, status: number, error: string) => {
  res.status(status).send({ error });
};
export const invalid = (res: Response, words: string) => refuse(res, 422, `Validation failed: ${words}`);

export const refusalsOf = ({ now }: SandboxKit): Refusals => ({
  '429': (res) => {
    res.setHeader('x-ratelimit-limit', '300');
    res.setHeader('x-ratelimit-remaining', '0');
    res.setHeader('x-ratelimit-reset', new Date(now().getTime() + 5 * 60_000).toISOString());
    refuse(res, 429, 'Too many requests');
  },
  '429-bare': (res) => refuse(res, 429, 'Throttled'),
  '503': (res) =>
    refuse(
      res,
      res.statusCode === 500 ? 500 : 503,
      'There was a temporary problem serving your request, please try again',
    ),
  'expired-token': (res) => refuse(res, 401, 'The access token expired'),
  'refused-token': (res) => refuse(res, 401, 'The access token was revoked'),
  'missing-permission': (res) => refuse(res, 403, 'This action is outside the authorized scopes'),
  'content-refused': (res) => invalid(res, `Text character limit of ${maxCharacters} exceeded`),
  'media-refused': (res) => invalid(res, 'File content type is invalid, File is invalid'),
});
