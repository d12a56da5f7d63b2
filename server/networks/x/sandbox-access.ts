import type { Response } from 'express';
import type { Refusals, SandboxKit, SandboxPerson } from '#server/networks/sandbox';
import { signedInWith } from '#server/networks/shared/signed-in';

/** Authentication and error responses of the sandbox. */

export const problem = (res: Response, status: number, title: string, detail: string, type = 'about:blank') => {
  res.status(status).type('application/problem+json').send({ title, detail, type, status });
};

export const badMedia = (res: Response, message: string) =>
  res.status(400).send({ title: 'Invalid Request', status: 400, errors: [{ message }] });

const refusalsOf = ({ now }: SandboxKit): Refusals => ({
  '429': (res) => {
    res.setHeader('x-rate-limit-limit', '100');
    res.setHeader('x-rate-limit-remaining', '0');
    res.setHeader('x-rate-limit-reset', String(Math.ceil(now().getTime() / 1000) + 60));
    problem(res, 429, 'Too Many Requests', 'Too Many Requests');
  },
  '429-bare': (res) => problem(res, 429, 'Too Many Requests', 'Too Many Requests'),
  '503': (res) => problem(res, res.statusCode === 500 ? 500 : 503, 'Service Unavailable', 'Service Unavailable'),
  'expired-token': (res) => problem(res, 401, 'Unauthorized', 'Unauthorized'),
  'refused-token': (res) => problem(res, 401, 'Unauthorized', 'Unauthorized'),
  'missing-permission': (res) =>
    problem(
      res,
      403,
      'Client Forbidden',
      'This request must be made using an approved developer account.',
      'https://api.x.com/2/problems/client-forbidden',
    ),
  'content-refused': (res) => problem(res, 403, 'Forbidden', 'You are not permitted to perform this action.'),
  'media-refused': (res) => badMedia(res, 'Your media IDs are invalid.'),
});

export const states = {
  nocredits: 'The app has no credits left: every post is refused',
  premium: 'The account has a subscription and writes long texts',
  renamed: 'X has new names for the fields of posts, and refuses the old ones',
  selfserve: 'The app may not quote',
  unsummoned: 'The app may neither reply nor mention anybody',
};

/** The two names that X has had for each field. */
export const oldNames = { parameter: 'tweet.fields', wholeText: 'note_tweet', shares: 'retweet_count' } as const;
export const newNames = { parameter: 'post.fields', wholeText: 'note_post', shares: 'repost_count' } as const;
export type Names = typeof oldNames | typeof newNames;

export const namesFor = ({ handle }: SandboxPerson): Names => (handle.includes('renamed') ? newNames : oldNames);

export const refuseParameter = (res: Response, parameter: string) =>
  res.status(400).send({
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: 'https://api.x.com/2/problems/invalid-request',
    errors: [{ parameters: { [parameter]: [] }, message: `The query parameter [${parameter}] is not known` }],
  });

export const writesLong = ({ handle }: SandboxPerson) => handle.includes('premium');

export type Access = ReturnType<typeof createAccess>;

export const createAccess = (kit: SandboxKit) => {
  const refusals = refusalsOf(kit);
  return { refusals, signedIn: signedInWith(kit, refusals) };
};
