import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createExpressEndpoints } from '@ts-rest/express';
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { actions, catalog } from '#generated/catalog';
import { createHandlers } from '#generated/handlers';
import { networks as networkFolders } from '#generated/networks';
import { rest } from '#generated/rest';
import { createAccounts } from '#server/accounts/accounts';
import { createAccountStore } from '#server/accounts/store';
import { createAnalyticsStore } from '#server/analytics/store';
import { createAnalytics } from '#server/analytics/summary';
import { createPersonalTokens } from '#server/auth/personal-tokens';
import { createTokenStore } from '#server/auth/store';
import type { Clock } from '#server/clock';
import { type Config, isPublicAddress, packageRoot } from '#server/config';
import { actionRoute } from '#server/http/action-route';
import { createAuthenticate } from '#server/http/authenticate';
import { docsPages } from '#server/http/docs';
import { answerErrors, noSuchPath, wrongMethod } from '#server/http/errors';
import { createHealth } from '#server/http/health';
import { logRequests } from '#server/http/log';
import { createRateLimit } from '#server/http/rate-limit';
import { greet } from '#server/http/request';
import { createIdempotentAnswers } from '#server/idempotency/answers';
import { createIdempotencyStore } from '#server/idempotency/store';
import { createMediaLibrary } from '#server/media/library';
import { createMediaStore } from '#server/media/store';
import { createNetworks } from '#server/networks/registry';
import { createDrafts } from '#server/posts/drafts';
import { createLifecycle } from '#server/posts/lifecycle';
import { createReading } from '#server/posts/reading';
import { createPostStore } from '#server/posts/store';
import { createProviders } from '#server/providers/providers';
import { prepareActions } from '#server/run-action';
import { createStatistics } from '#server/statistics/statistics';
import { createStatisticsStore } from '#server/statistics/store';
import type { Database } from '#server/store/database';
import { createOpenPage } from '#server/ui/open-page';
import { createUiStore } from '#server/ui/store';
import { createPeople } from '#server/workspaces/people';
import { createWorkspaceStore } from '#server/workspaces/store';

export type Posthorn = ReturnType<typeof createPosthorn>;

/** All rules of the service on one database; the doors and the command line both use them. */
export const createPosthorn = ({ database, config, clock }: { database: Database; config: Config; clock: Clock }) => {
  const networks = createNetworks(networkFolders);
  const { baseUrl, production, isSet } = config;
  const postStore = createPostStore(database);

  const tokens = createPersonalTokens({ store: createTokenStore(database), clock });
  const people = createPeople({ store: createWorkspaceStore(database), clock });
  const accounts = createAccounts({ store: createAccountStore(database), networks, clock });
  const providers = createProviders({ networks, baseUrl, production, isSet });
  const library = createMediaLibrary({ store: createMediaStore(database), baseUrl });
  const openPage = createOpenPage({ store: createUiStore(database) });
  const reading = createReading({ store: postStore });
  const lifecycle = createLifecycle({
    store: postStore,
    accounts,
    library,
    networks,
    reachable: isPublicAddress(baseUrl),
    clock,
  });
  const drafts = createDrafts({ store: postStore, accounts, library, networks, lifecycle, clock });
  const statistics = createStatistics({ store: createStatisticsStore(database), networks, reading });
  const analytics = createAnalytics({ store: createAnalyticsStore(database), networks });
  const answers = createIdempotentAnswers({ store: createIdempotencyStore(database), clock });

  const handlers = createHandlers({
    accounts,
    providers,
    library,
    openPage,
    reading,
    lifecycle,
    drafts,
    statistics,
    analytics,
  });
  return { actions: prepareActions(actions, handlers), answers, tokens, people, accounts, networks, providers };
};

/** The web door. */
export const createHttpApp = ({
  posthorn,
  database,
  config,
  clock,
  log,
}: {
  posthorn: Posthorn;
  database: Database;
  config: Config;
  clock: Clock;
  log: Logger;
}) => {
  const rateLimit = createRateLimit({ perMinute: config.requestsPerMinute, clock });
  const authenticate = createAuthenticate({ tokens: posthorn.tokens, rateLimit });
  const health = createHealth({ ping: database.ping });

  const app = express().disable('etag').disable('x-powered-by');
  app.use(greet({ https: config.baseUrl.startsWith('https:') }), logRequests(log));
  app.post('/api/agent/tools/:action', actionRoute({ ...posthorn, authenticate }));
  createExpressEndpoints(
    rest.routes,
    {
      catalog: async ({ req, res }) => {
        await authenticate(req, res);
        return { status: 200, body: catalog };
      },
      alive: async () => ({ status: 200, body: 'ok' }),
      ready: health.ready,
    },
    app,
    { logInitialization: false },
  );
  app.get('/openapi.json', openapi(config));
  app.use('/docs', docsPages());
  app.get('/', (_req, res) => res.redirect('/docs'));
  refuseTheRest(app);
  app.use(answerErrors(log));
  return { app, health };
};

const openapi = ({ baseUrl }: Config): express.RequestHandler => {
  const document = JSON.parse(readFileSync(join(packageRoot, 'openapi/openapi.json'), 'utf8'));
  const text = JSON.stringify({ ...document, servers: [{ url: baseUrl, description: 'This server' }] });
  return (_req, res) => {
    res.type('json').send(text);
  };
};

const refuseTheRest = (app: Express) => {
  app.all('/api/agent/tools/:action', wrongMethod('POST'));
  for (const { path, method } of Object.values(rest.routes)) app.all(path, wrongMethod(method));
  app.all('/openapi.json', wrongMethod('GET'));
  app.use(noSuchPath);
};
