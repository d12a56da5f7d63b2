import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Avatars } from '#server/accounts/avatars';
import type { Assistant } from '#server/assistant/slice';
import type { Identity } from '#server/auth/identity-provider/identity';
import type { PersonalTokens } from '#server/auth/personal-tokens';
import type { RateLimit } from '#server/auth/rate-limit';
import { createSessionDoor, type SessionDoor } from '#server/auth/session-cookie';
import type { Sessions } from '#server/auth/sessions';
import { type Config, packageRoot, webFolder } from '#server/config';
import type { Figures } from '#server/figures';
import type { IdempotentAnswers } from '#server/idempotency/answers';
import type { Live } from '#server/live/open-tabs';
import type { MediaLibrary } from '#server/media/library';
import type { Uploads } from '#server/media/uploads';
import { styleRoutes } from '#server/pages/style';
import { createReport } from '#server/report';
import type { Shares } from '#server/review/shares';
import type { RunnableAction } from '#server/run-action';
import type { Exports } from '#server/transfer/exports';
import type { Imports } from '#server/transfer/imports';
import type { Workspaces } from '#server/workspaces/slice';
import { actionRoute } from './action-route.ts';
import { createGuards, type Identify } from './app-routes.ts';
import { askAssistant } from './ask-assistant.ts';
import { createAuthenticate } from './authenticate.ts';
import { avatarBytes } from './avatar-bytes.ts';
import { docsPages } from './docs.ts';
import { answerErrors, noSuchPath } from './errors.ts';
import { exportRoute } from './export.ts';
import { createHealth, type Health, type Pinged } from './health.ts';
import { importRoute } from './import.ts';
import { liveEvents } from './live-events.ts';
import { logRequests } from './log.ts';
import { mediaBytes } from './media-bytes.ts';
import { createOperatorCheck, metricsPage } from './metrics.ts';
import { patience } from './patience.ts';
import { tagRequest } from './request.ts';
import { reviewMedia, reviewPage } from './review.ts';
import { uploadRoute } from './upload.ts';
import { createWebApp, type WebApp } from './web-files.ts';

type Own = RequestHandler<Record<string, string>>;

/** What the generated router serves the declared paths with. */
export type Doors = ReturnType<typeof createDoors>;
export type ServeRoutes = (app: Express, doors: Doors) => void;

export interface DoorParts {
  readonly sessions: Sessions;
  readonly tokens: PersonalTokens;
  readonly actions: ReadonlyMap<string, RunnableAction>;
  readonly answers: IdempotentAnswers;
  readonly library: MediaLibrary;
  readonly uploads: Uploads;
  readonly avatars: Avatars;
  readonly shares: Shares;
  readonly imports: Imports;
  readonly exports: Exports;
  readonly live: Live;
  readonly assistant: Assistant;
  readonly figures: Figures;
  readonly mcp: { readonly serve: Own; readonly describe: Own };
  readonly identity: Identity;
  readonly rateLimit: RateLimit;
  /** The way to an outside identity provider and back. */
  readonly signInElsewhere: Workspaces['signInElsewhere'];
  readonly config: Config;
  readonly log: Logger;
}

const createDoors = ({
  door,
  web,
  health,
  signInElsewhere,
  ...parts
}: DoorParts & { door: SessionDoor; web: WebApp; health: Health }) => {
  const { tokens, actions, answers, library, uploads, avatars, shares, imports, exports, live } = parts;
  const { assistant, figures, mcp, identity, rateLimit, config } = parts;
  return {
    guards: createGuards({
      door,
      authenticate: createAuthenticate({ tokens, rateLimit }),
      rateLimit,
      mustBeOperator: createOperatorCheck(config),
      endElsewhere: identity.endSession,
    }),
    runAction: (identify: Identify) => actionRoute({ actions, answers, identify }),
    own: {
      mcp: mcp.serve,
      describeMcp: mcp.describe,
      mediaBytes: mediaBytes({ library }),
      avatarBytes: avatarBytes({ avatars }),
      reviewPage: reviewPage({ shares, web, rateLimit }),
      reviewMedia: reviewMedia({ shares, rateLimit }),
      liveEvents: liveEvents({
        live,
        who: door.who,
        report: createReport(parts.log, 'access to live events not checked'),
      }),
      exportPosts: exportRoute({ exports }),
      askAssistant: askAssistant({ assistant, who: door.who }),
      metrics: metricsPage({ figures }),
      openapi: openapi(config),
      ...signInElsewhere({ outside: identity.outsideSignIn, setSession: door.set }),
    },
    forms: { uploadMedia: uploadRoute({ uploads }), checkImport: importRoute({ imports }) },
    handlers: { alive: async () => 'ok' as const, ready: health.ready },
  };
};

/** Every path of the service, in the order in which a request tries them. */
export const openDoors = ({
  serveRoutes,
  sandboxPaths,
  database,
  jobs,
  ...parts
}: DoorParts & {
  /** The paths that contracts/ declares. */
  readonly serveRoutes: ServeRoutes;
  readonly sandboxPaths: () => RequestHandler | undefined;
  readonly database: Pinged;
  readonly jobs: { readonly idleMs: () => number };
}) => {
  const { sessions, identity, rateLimit, config, log } = parts;
  const { baseUrl } = config;
  const door = createSessionDoor({ sessions, baseUrl });
  const health = createHealth({ database, idleMs: jobs.idleMs });
  const app = express().disable('etag').disable('x-powered-by').set('trust proxy', config.trustProxy);
  app.use(tagRequest({ https: baseUrl.startsWith('https:') }), logRequests(log, parts.figures.http));
  const web = createWebApp(webFolder);
  serveRoutes(app, createDoors({ ...parts, door, web, health }));
  app.use(patience());
  if (identity.router) {
    // A client document that could not be read is not remembered, so each try costs a request to outside.
    app.use('/auth/authorize', (req, res, next) => {
      rateLimit.take(`authorize ${req.ip}`, res);
      next();
    });
    app.use(identity.router);
  }
  const sandbox = sandboxPaths();
  if (sandbox) app.use(sandbox);
  app.use('/docs', docsPages());
  app.use(web.files, web.pages, styleRoutes());
  app.use(web.notFound, noSuchPath, answerErrors(log));
  return { app, health };
};

const openapi = ({ baseUrl }: Config): Own => {
  const document = JSON.parse(readFileSync(join(packageRoot, 'openapi/openapi.json'), 'utf8'));
  const text = JSON.stringify({ ...document, servers: [{ url: baseUrl, description: 'This server' }] });
  return (_req, res) => {
    res.type('json').send(text);
  };
};
