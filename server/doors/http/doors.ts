import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Route } from '#contracts/define';
import type { Identity } from '#server/access/auth/identity-provider/identity';
import type { PersonalTokens } from '#server/access/auth/personal-tokens';
import { keyOfAddress, type RateLimit } from '#server/access/auth/rate-limit';
import { createSessionDoor, type SessionDoor } from '#server/access/auth/session-door';
import type { Sessions } from '#server/access/auth/sessions';
import type { RunnableAction } from '#server/agents/admission';
import type { Assistant } from '#server/agents/assistant/slice';
import type { RunOrAsk } from '#server/agents/run-or-ask';
import { type Config, helpFolder, packageRoot, webFolder } from '#server/base/config/config';
import type { IdempotentAnswers } from '#server/base/idempotency/answers';
import type { Live } from '#server/base/live/live';
import { createReport } from '#server/base/logging/report';
import { styleRoutes } from '#server/base/pages/style';
import type { Avatars } from '#server/connecting/accounts/avatars';
import type { MediaLibrary } from '#server/media/library';
import type { ResumableUploads } from '#server/media/resumable-uploads';
import type { UploadAddresses } from '#server/media/upload-addresses';
import type { UploadOnce } from '#server/media/upload-once';
import type { Uploads } from '#server/media/uploads';
import type { Restoring } from '#server/operation/backup/restoring';
import type { ServiceMetrics } from '#server/operation/metrics/metrics';
import type { Workspaces } from '#server/people/workspaces/slice';
import type { Shares } from '#server/planning/review/shares';
import type { Exports } from '#server/planning/transfer/exports';
import type { Imports } from '#server/planning/transfer/imports';
import type { LinkCards } from '#server/writing/posts/link-cards';
import { actionRoute } from './action-route.ts';
import { type Admit, createAppRoutes } from './app-routes.ts';
import { askAssistant } from './ask-assistant.ts';
import { createReceiveFrom } from './authenticate.ts';
import { avatarBytes } from './avatar-bytes.ts';
import { createBaseUrlMismatchWarning } from './base-url-mismatch.ts';
import { allowOrigins } from './cors.ts';
import { docsPages } from './docs.ts';
import { downloadBackup, type FindBackupFile } from './download-backup.ts';
import { answerErrors, type DescribeError, noSuchPath } from './errors.ts';
import { exportRoute } from './export.ts';
import { type CheckedDatabase, createHealth, type Health } from './health.ts';
import { helpPages } from './help.ts';
import { importRoute } from './import.ts';
import { linkCardPicture } from './link-card-picture.ts';
import { liveEvents } from './live-events.ts';
import { logRequests } from './log.ts';
import { mediaBytes } from './media-bytes.ts';
import { createOperatorCheck, metricsPage } from './metrics.ts';
import { openapiDocument } from './openapi-document.ts';
import { refuseWhileStopping } from './refuse-while-stopping.ts';
import { tagRequest } from './request.ts';
import { resumableUploadRoutes } from './resumable-upload.ts';
import { reviewAvatar, reviewMedia, reviewPage } from './review.ts';
import { securityText } from './security-text.ts';
import { slowBodyTimeout } from './slow-body-timeout.ts';
import { uploadRoute } from './upload.ts';
import { uploadAddressRoute } from './upload-address.ts';
import { uploadBackup } from './upload-backup.ts';
import { createWebApp, type WebApp } from './web-app.ts';

type Own = RequestHandler<Record<string, string>>;

/** The handlers that the generated router mounts. */
export type Doors = ReturnType<typeof createDoors>;
export type ServeRoutes = (app: Express, doors: Doors) => void;

interface DoorParts {
  readonly sessions: Sessions;
  readonly tokens: PersonalTokens;
  readonly actions: ReadonlyMap<string, RunnableAction>;
  readonly requestable: ReadonlyMap<string, RunnableAction>;
  readonly runOrAsk: RunOrAsk;
  /** The name under which a route is declared. */
  readonly routeName: (route: Route) => string;
  readonly answers: IdempotentAnswers;
  readonly library: MediaLibrary;
  readonly uploads: Uploads;
  readonly uploadOnce: UploadOnce;
  readonly uploadAddresses: UploadAddresses;
  readonly resumableUploads: ResumableUploads;
  readonly avatars: Avatars;
  readonly linkCards: LinkCards;
  readonly shares: Shares;
  readonly imports: Imports;
  readonly exports: Exports;
  readonly restoring: Restoring;
  readonly findBackupFile: FindBackupFile;
  readonly live: Live;
  readonly assistant: Assistant;
  readonly metrics: ServiceMetrics;
  readonly mcp: { readonly serve: Own; readonly describe: Own };
  readonly identity: Identity;
  readonly rateLimit: RateLimit;
  /** Routes for signing in at an outside identity provider. */
  readonly signInElsewhere: Workspaces['signInElsewhere'];
  readonly config: Config;
  readonly log: Logger;
  readonly describeError: DescribeError;
}

const createDoors = ({
  door,
  web,
  health,
  signInElsewhere,
  ...parts
}: DoorParts & { door: SessionDoor; web: WebApp; health: Health }) => {
  const { tokens, actions, answers, library, uploads, uploadOnce, avatars, shares, imports, exports, live } = parts;
  const { assistant, metrics, mcp, identity, rateLimit, config, requestable, runOrAsk, routeName } = parts;
  return {
    appRoutes: createAppRoutes({
      receiveFrom: createReceiveFrom({ tokens, door, rateLimit }),
      requestable,
      runOrAsk,
      answers,
      routeName,
      door,
      mustBeOperator: createOperatorCheck(config),
      endElsewhere: identity.endSession,
    }),
    runAction: (admit: Admit) => actionRoute({ actions, runOrAsk, answers, admit }),
    own: {
      mcp: mcp.serve,
      describeMcp: mcp.describe,
      mediaBytes: mediaBytes({ library }),
      downloadBackup: downloadBackup({ findFile: parts.findBackupFile }),
      uploadBackup: uploadBackup({ restoring: parts.restoring, door }),
      uploadToAddress: uploadAddressRoute({ uploads, uploadAddresses: parts.uploadAddresses, rateLimit }),
      ...resumableUploadRoutes({ resumableUploads: parts.resumableUploads }),
      avatarBytes: avatarBytes({ avatars }),
      linkCardPicture: linkCardPicture({ linkCards: parts.linkCards }),
      reviewPage: reviewPage({ shares, web, rateLimit }),
      reviewMedia: reviewMedia({ shares, rateLimit }),
      reviewAvatar: reviewAvatar({ shares, avatars, rateLimit }),
      liveEvents: liveEvents({
        live,
        who: door.who,
        report: createReport(parts.log, 'access to live events not checked'),
      }),
      exportPosts: exportRoute({ exports }),
      askAssistant: askAssistant({ assistant, who: door.who }),
      metrics: metricsPage({ metrics }),
      openapi: openapiDocument('openapi.json', config.baseUrl),
      appOpenapi: openapiDocument('openapi-app.json', config.baseUrl),
      describeForModels: describeForModels(config),
      securityText: securityText(config),
      ...signInElsewhere({ outside: identity.outsideSignIn, setSession: door.set }),
    },
    forms: { uploadMedia: uploadRoute({ uploads, uploadOnce }), checkImport: importRoute({ imports }) },
    handlers: { alive: async () => 'ok' as const, ready: health.ready },
  };
};

/** Mounts every path of the service. Express matches them in this order. */
export const openDoors = ({
  serveRoutes,
  sandboxPaths,
  database,
  findSchemaProblem,
  jobs,
  ...parts
}: DoorParts & {
  /** The paths that contracts/ declares. */
  readonly serveRoutes: ServeRoutes;
  readonly sandboxPaths: () => RequestHandler | undefined;
  readonly database: CheckedDatabase;
  readonly findSchemaProblem: () => Promise<string | undefined>;
  readonly jobs: { readonly idleMs: () => number };
}) => {
  const { sessions, identity, rateLimit, config, log } = parts;
  const { baseUrl } = config;
  const door = createSessionDoor({ sessions, baseUrl, onOtherOrigin: createBaseUrlMismatchWarning(log, baseUrl) });
  const health = createHealth({ database, findSchemaProblem, idleMs: config.role === 'web' ? () => 0 : jobs.idleMs });
  const app = express().disable('etag').disable('x-powered-by').set('trust proxy', config.trustProxy);
  const tag = tagRequest({ https: baseUrl.startsWith('https:') });
  app.use(tag, logRequests(log, parts.metrics.http), allowOrigins(config.corsOrigins), refuseWhileStopping(health));
  if (config.role === 'jobs') app.use(servesJobsOnly(config));
  const web = createWebApp(webFolder);
  serveRoutes(app, createDoors({ ...parts, door, web, health }));
  app.use(slowBodyTimeout());
  if (identity.router) {
    // A client id may be the URL of a metadata document, so any request here may cause an outbound request.
    app.use('/auth', (req, res, next) => {
      rateLimit.take(`auth ${keyOfAddress(req.ip)}`, res);
      next();
    });
    app.use(identity.router);
  }
  const sandbox = sandboxPaths();
  if (sandbox) app.use(sandbox);
  app.use('/docs', docsPages());
  app.use('/help', helpPages(helpFolder));
  app.use(web.files, web.pages, styleRoutes({ hasFont: true }));
  app.use(web.notFound, noSuchPath, answerErrors(log, parts.describeError));
  return { app, health };
};

/** A jobs process serves only its health and metrics; in development also the sandbox networks that it publishes to. */
const servesJobsOnly = ({ production }: Config): RequestHandler => {
  const served = production ? /^\/(healthz|readyz|metrics)$/ : /^\/(healthz|readyz|metrics)$|^\/(sandbox|media)\//;
  return (req, res, next) => (served.test(req.path) ? next() : noSuchPath(req, res, next));
};

const describeForModels = ({ baseUrl }: Config): Own => {
  const text = readFileSync(join(packageRoot, 'openapi/llms.txt'), 'utf8').replaceAll('{base_url}', baseUrl);
  return (_req, res) => {
    res.type('text/plain').send(text);
  };
};
