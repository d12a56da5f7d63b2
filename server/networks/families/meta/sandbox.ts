import type { Request, RequestHandler, Response, Router } from 'express';
import { z } from 'zod';
import { dayMs } from '#contracts/time';
import type { Json } from '#server/networks/network';
import type { Refusals, SandboxGrant, SandboxKit } from '#server/networks/sandbox';
import { pageAfter } from '#server/networks/shared/page-after';

/** What the sandboxes of Facebook, Instagram and Threads have in common: errors, fields, tokens and containers of Graph. */

export interface Refusal {
  readonly code: number;
  readonly subcode?: number;
  readonly message: string;
  /** What Meta wants people to read. */
  readonly words?: string;
  readonly status?: number;
}

export const refuse = (res: Response, { code, subcode, message, words, status = 400 }: Refusal) => {
  res.status(status).send({
    error: {
      message,
      type: 'OAuthException',
      code,
      error_subcode: subcode,
      is_transient: code === 2,
      error_user_msg: words,
      fbtrace_id: 'AbCdEfGhIjKlMnOpQrStUvW',
    },
  });
};

export const invalid = (what: string): Refusal => ({ code: 100, message: `(#100) ${what}` });

export const notThere: Refusal = {
  code: 100,
  subcode: 33,
  message:
    'Unsupported request. Object does not exist, cannot be loaded due to missing permissions, or does not support this operation.',
};

/** Meta seldom uses 429: a code and a header say that there is a limit. */
export const refusalsOf = (own: {
  readonly limit: Refusal & { readonly type: string };
  readonly permission: Refusal;
  readonly content: Refusal;
  readonly media: Refusal;
}): Refusals => ({
  '429': (res) => {
    const use = { type: own.limit.type, call_count: 100, total_cputime: 25, total_time: 30 };
    res.setHeader(
      'X-Business-Use-Case-Usage',
      JSON.stringify({ '1234567890': [{ ...use, estimated_time_to_regain_access: 5 }] }),
    );
    refuse(res, own.limit);
  },
  '429-bare': (res) => refuse(res, own.limit),
  '503': (res) =>
    refuse(res, {
      code: 2,
      message: 'An unexpected error has occurred. Please retry your request later.',
      status: res.statusCode === 500 ? 500 : 503,
    }),
  'expired-token': (res) =>
    refuse(res, {
      code: 190,
      subcode: 463,
      message: 'Error validating access token: Session has expired.',
      status: 401,
    }),
  'refused-token': (res) =>
    refuse(res, {
      code: 190,
      subcode: 458,
      message: 'Error validating access token: The user has not authorized application.',
    }),
  'missing-permission': (res) => refuse(res, { status: 403, ...own.permission }),
  'content-refused': (res) => refuse(res, own.content),
  'media-refused': (res) => refuse(res, own.media),
});

type Work = (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>;

/** The grant behind the token, which comes in a header or as a parameter of address or body, if it has the scope. */
export const signedInAs =
  (kit: SandboxKit, refusals: Refusals, ...uses: readonly string[]) =>
  (scope: string | undefined, work: Work): RequestHandler =>
  async (req, res) => {
    const { access_token: inBody } = (req.body ?? {}) as { access_token?: string };
    const inHeader = /^(?:Bearer|OAuth) (.+)$/.exec(req.headers.authorization ?? '')?.[1];
    const secret = inHeader ?? String(req.query.access_token ?? inBody ?? '');
    const grants = await Promise.all(uses.map((use) => kit.grants.find(use, secret)));
    const grant = grants.find((one) => one !== undefined);
    if (grant === undefined) return refusals['refused-token'](res);
    if (grant.expired) return refusals['expired-token'](res);
    if (scope !== undefined && !grant.scopes.includes(scope)) return refusals['missing-permission'](res);
    await work(req, res, grant);
  };

/** For calls without files: the parameters may come as a form of several parts, too. */
export const readForms =
  (kit: SandboxKit): RequestHandler =>
  async (req, _res, next) => {
    if (req.is('multipart/form-data')) req.body = (await kit.readMultipart(req)).fields;
    next();
  };

/** Form values are always text. */
export const isTrue = z.literal(true).or(z.literal('true').transform(() => true as const));

/** Parameters may stand in the address or in the body. */
export const parametersOf = (req: Request): Record<string, unknown> => {
  const { access_token: _, id, ...all } = { ...req.query, ...(req.body as Record<string, unknown> | undefined) };
  // Meta's own SDK repeats the id of the object that the address names.
  return id === undefined || id === req.params.id ? all : { ...all, id };
};

/** `comments.limit(0).summary(true),shares,attachments{target,subattachments{target}}` → `comments`, `shares`, `attachments` */
const fieldsIn = (req: Request): string[] =>
  String(req.query.fields ?? 'id')
    .replace(/\([^)]*\)/g, '')
    .replace(/\{(?:[^{}]|\{[^{}]*\})*\}/g, '')
    .split(',')
    .map((name) => name.replace(/\..*/, ''));

type Node = Readonly<Record<string, unknown>> & { readonly id: string };

const missingIn = (req: Request, nodes: readonly Node[]) =>
  fieldsIn(req).find((name) => nodes.some((node) => !(name in node)));

const picked = (req: Request, node: Node) =>
  Object.fromEntries([...new Set([...fieldsIn(req), 'id'])].map((name) => [name, node[name]]));

const nonexisting = (name: string) => invalid(`Tried accessing nonexisting field (${name})`);

/** Only what was asked for, and the id. A field that a node does not have is an error, one without value is left out. */
export const sendNode = (req: Request, res: Response, node: Node) => {
  const missing = missingIn(req, [node]);
  if (missing !== undefined) return refuse(res, nonexisting(missing));
  res.send(picked(req, node));
};

export const sendNodes = (req: Request, res: Response, nodes: readonly Node[]) => {
  const missing = missingIn(req, nodes);
  if (missing !== undefined) return refuse(res, nonexisting(missing));
  const { entries, next } = pageAfter(nodes, req.query.after, Number(req.query.limit ?? 25));
  const url = new URL(req.originalUrl, `${req.protocol}://${req.get('host')}`);
  url.searchParams.set('after', next ?? '');
  // The last page has cursors too, but no `next`.
  const paging = { cursors: { before: entries[0]?.id, after: entries.at(-1)?.id }, next: next && url.href };
  res.send({ data: entries.map((node) => picked(req, node)), ...(entries.length > 0 && { paging }) });
};

/** `2026-11-15T10:00:00+0000` */
export const graphTime = (instant: string) => instant.replace(/\.\d+Z$/, '+0000');

export const sendInsights = (
  req: Request,
  res: Response,
  numbers: Readonly<Record<string, number | Readonly<Record<string, number>>>>,
) => {
  const names = String(req.query.metric ?? '').split(',');
  const wrong = names.find((name) => !(name in numbers));
  if (wrong !== undefined) return refuse(res, invalid(`metric[0] must be one of the following values: not ${wrong}`));
  const data = names.map((name) => ({
    name,
    period: 'lifetime',
    values: [{ value: numbers[name] }],
    title: name,
    description: `The ${name} of this object.`,
    id: `${req.params.id}/insights/${name}/lifetime`,
  }));
  res.send({ data });
};

export const shortLifeMs = 3_600_000;
const longLifeSeconds = 5_183_944;

/** Issues 60-day tokens for a one-hour token, or for a 60-day token that is at least a day old. */
export const mountLongTokens = (graph: Router, kit: SandboxKit, refusals: Refusals, prefix: string) => {
  const issue = async (res: Response, { person, scopes }: SandboxGrant) => {
    const data = { issuedAt: kit.now().toISOString() };
    const access = await kit.grants.issue('access', { person, scopes, lifeMs: longLifeSeconds * 1000, data });
    res.send({ access_token: access, token_type: 'bearer', expires_in: longLifeSeconds });
  };
  graph.get('/access_token', async (req, res) => {
    if (req.query.grant_type !== `${prefix}_exchange_token`) return refuse(res, invalid('grant_type is not supported'));
    if (req.query.client_secret !== 'sandbox') {
      return refuse(res, { code: 1, message: 'Error validating client secret.' });
    }
    const grant = await kit.grants.find('short', String(req.query.access_token));
    if (grant === undefined || grant.expired) return refusals['expired-token'](res);
    await issue(res, grant);
  });
  graph.get('/refresh_access_token', async (req, res) => {
    if (req.query.grant_type !== `${prefix}_refresh_token`) return refuse(res, invalid('grant_type is not supported'));
    const grant = await kit.grants.find('access', String(req.query.access_token));
    if (grant === undefined) return refusals['refused-token'](res);
    if (grant.expired) return refusals['expired-token'](res);
    const { issuedAt } = grant.data as { issuedAt: string };
    if (kit.now().getTime() < Date.parse(issuedAt) + dayMs) {
      return refuse(res, invalid('The access token must be at least 24 hours old to be refreshed'));
    }
    await issue(res, grant);
  });
};

/** Revokes everything that a person granted to the app. */
export const mountRevocation = (graph: Router, kit: SandboxKit, signedIn: ReturnType<typeof signedInAs>) => {
  graph.delete(
    '/me/permissions',
    signedIn(undefined, async (_req, res, { person }) => {
      await kit.grants.revokeAll(person);
      res.send({ success: true });
    }),
  );
};

/** Sends a token for the app itself. */
export const sendAppToken = (res: Response, query: Readonly<Record<string, unknown>>) => {
  if (query.grant_type !== 'client_credentials') return refuse(res, invalid('grant_type is not supported'));
  if (query.client_id !== 'sandbox') {
    const message = 'Error validating application. Cannot get application info due to a system error.';
    return refuse(res, { code: 101, message });
  }
  if (query.client_secret !== 'sandbox') return refuse(res, { code: 1, message: 'Error validating client secret.' });
  res.send({ access_token: 'sandbox|app', token_type: 'bearer' });
};

/** The code, if it was given for this app and this address. */
export const takeCode = async (kit: SandboxKit, form: Readonly<Record<string, unknown>>) => {
  if (form.client_id !== 'sandbox' || form.client_secret !== 'sandbox') return undefined;
  const grant = await kit.grants.take('code', String(form.code));
  const { redirect_uri: redirectUri } = (grant?.data ?? {}) as Record<string, string>;
  return grant?.expired || redirectUri !== form.redirect_uri ? undefined : grant;
};

export const checkAuthorize = (query: Readonly<Record<string, string>>): string | undefined => {
  if (query.client_id !== 'sandbox') return 'client_id is not known';
  if (!query.redirect_uri) return 'redirect_uri is missing';
  if (query.response_type !== 'code') return 'response_type must be code';
  return query.scope ? undefined : 'scope is missing';
};

type Container = {
  readonly owner: string;
  readonly isChild: boolean;
  readonly text: string;
  readonly media: readonly string[];
  /** The parameters it was created with. */
  readonly sent: Readonly<Record<string, Json | undefined>>;
  /** The error that Meta reports when the state is read. */
  readonly error: string | null;
  readonly readyAt: string;
  readonly expiresAt: string;
  readonly postId: string | null;
};

const workMs = { text: 0, image: 1_500, video: 12_000 };

/** Containers as Instagram and Threads have them: filled after a while, gone after a day, published once. */
export const createContainerBook = (kit: SandboxKit) => {
  const inMs = (ms: number) => new Date(kit.now().getTime() + ms).toISOString();
  const isPast = (instant: string) => kit.now() >= new Date(instant);
  const get = async (id: string, owner: string) => {
    const container = await kit.records.get<Container>('container', id);
    return container?.owner === owner ? container : undefined;
  };
  const stateOf = ({ postId, expiresAt, readyAt, error }: Container) => {
    if (postId !== null) return 'PUBLISHED';
    if (isPast(expiresAt)) return 'EXPIRED';
    if (!isPast(readyAt)) return 'IN_PROGRESS';
    return error === null ? 'FINISHED' : 'ERROR';
  };
  return {
    add: async ({
      file,
      children,
      sent: fields,
      ...container
    }: Pick<Container, 'owner' | 'text' | 'sent' | 'error'> & {
      readonly file: string | undefined;
      readonly children: readonly Container[];
    }) => {
      const id = kit.newId();
      const work = 'video_url' in fields ? workMs.video : fields.media_type === 'TEXT' ? workMs.text : workMs.image;
      const full: Container = {
        ...container,
        isChild: fields.is_carousel_item === true,
        media: file === undefined ? children.flatMap(({ media }) => media) : [file],
        sent: { ...fields, ...(children.length > 0 && { children: children.map((child) => child.sent) }) },
        readyAt: inMs(work),
        expiresAt: inMs(dayMs),
        postId: null,
      };
      await kit.records.put('container', id, full);
      return id;
    },
    /** Undefined when one of them cannot be used. */
    children: async (ids: string, owner: string): Promise<Container[] | undefined> => {
      const containers = await Promise.all(ids.split(',').map((id) => get(id, owner)));
      const usable = containers.filter((child) => child?.isChild && stateOf(child) === 'FINISHED');
      return usable.length === containers.length ? (usable as Container[]) : undefined;
    },
    get,
    stateOf,
    /** Returns the id of the post: the same one for every call. */
    publish: async (id: string, container: Container) => {
      const postId = kit.newId();
      if (!(await kit.records.add('published', id, postId))) {
        return { postId: (await kit.records.get<string>('published', id)) ?? '', isNew: false };
      }
      await kit.records.put('container', id, { ...container, postId });
      return { postId, isNew: true };
    },
  };
};
