import { type DeclaredRaw, type DeclaredRoute, recordImports, recordNames } from './contracts.ts';
import { banner, lines } from './text.ts';

/** generated/router.ts: a table of the paths outside ts-rest, and the loops that register all paths. */
export const emitRouter = (routes: readonly DeclaredRoute[], raw: readonly DeclaredRaw[]) => {
  refuseUnknownRunners(raw);
  refuseUnservable(routes);
  return {
    'generated/router.ts': lines(
      banner,
      "import { createExpressEndpoints } from '@ts-rest/express';",
      "import type { Express, RequestHandler } from 'express';",
      "import type { RawRoute, Route } from '#contracts/define';",
      recordImports(raw),
      "import type { RouteHandlers } from '#server/base/context';",
      "import type { Admit, AppRoutes, FormRoutes, OwnHandlers } from '#server/doors/http/app-routes';",
      "import { toAppRouter } from '#server/doors/http/app-router';",
      "import { wrongMethod } from '#server/doors/http/errors';",
      "import { routes } from './rest.ts';",
      '',
      '/** Every path whose handler writes its answer itself, as declared. */',
      'const paths = {',
      recordNames(raw).map((record) => `  ...${record},`),
      '};',
      loops,
    ),
  };
};

const loops = `
export interface RouterParts {
  readonly appRoutes: AppRoutes;
  /** Serves all actions to callers that \`admit\` accepts. */
  readonly runAction: (admit: Admit) => RequestHandler<{ action: string }>;
  readonly handlers: RouteHandlers<typeof routes>;
  readonly own: OwnHandlers<typeof paths>;
  /** For bodies that come as multipart/form-data. */
  readonly forms: FormRoutes<typeof routes>;
}

export const serveRoutes = (app: Express, { appRoutes, runAction, handlers, own, forms }: RouterParts) => {
  for (const [name, path] of Object.entries<RawRoute>(paths)) {
    const handler =
      path.handler === 'RunsActions'
        ? runAction(appRoutes.admit(path))
        : appRoutes.own(path, own[name as keyof typeof own] as RequestHandler);
    const route = app.route(path.path);
    for (const verb of verbsOf(path)) route[verb](handler as RequestHandler);
  }
  for (const name of Object.keys(forms) as (keyof typeof forms)[]) {
    app.post(routes[name].path, appRoutes.form(routes[name], forms[name]));
  }
  const endpoints = Object.entries<Route>(routes).map(
    ([name, route]) => [name, appRoutes.typed(route, handlers[name as keyof typeof handlers])] as const,
  );
  // Each route has types of its own, which a loop cannot follow.
  createExpressEndpoints(toAppRouter(routes), Object.fromEntries(endpoints) as never, app, {
    logInitialization: false,
    requestValidationErrorHandler: appRoutes.refuseInput as never,
  });
  // One handler for all methods; \`app.all\` would register one per method.
  for (const [path, methods] of methodsByPath()) app.route(path).all(wrongMethod(...methods));
};

/** Express answers HEAD with the handler of GET. */
const verbsOf = ({ methods }: RawRoute) =>
  methods === 'Every'
    ? (['all'] as const)
    : methods.flatMap((method) => (method === 'HEAD' ? [] : [verbs[method]]));

const verbs = { GET: 'get', OPTIONS: 'options', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

const methodsByPath = () => {
  const byPath = new Map<string, string[]>();
  const add = (path: string, methods: readonly string[]) => byPath.set(path, [...(byPath.get(path) ?? []), ...methods]);
  for (const { path, methods } of Object.values<RawRoute>(paths)) if (methods !== 'Every') add(path, methods);
  for (const { path, method } of Object.values<Route>(routes)) add(path, [method]);
  return byPath;
};`;

const refuseUnknownRunners = (raw: readonly DeclaredRaw[]) => {
  for (const { file, name, route } of raw) {
    if (route.handler === 'RunsActions' && route.access !== 'PersonalToken' && route.access !== 'Session')
      throw new Error(
        `contracts/${file}.ts: ${name} runs actions, which take a token or a person, not ${route.access}`,
      );
  }
};

const refuseUnservable = (routes: readonly DeclaredRoute[]) => {
  for (const { file, name, route } of routes) {
    if (route.roles !== undefined && (route.access === 'Open' || route.access === 'Public'))
      throw new Error(`contracts/${file}.ts: ${name} has roles, so it takes a session or a token, not ${route.access}`);
    if (route.form !== undefined && (route.method !== 'POST' || route.roles === undefined))
      throw new Error(`contracts/${file}.ts: ${name} takes a form, so it is a POST with roles`);
  }
};
