import type { RawRoute, Route } from '#contracts/define';
import { type DeclaredRaw, type DeclaredRoute, recordImports } from './contracts.ts';
import { banner, lines } from './text.ts';

/** generated/router.ts: every path with its method, access and handler. Other methods of a path are refused from the same table. */
export const emitRouter = (routes: readonly DeclaredRoute[], raw: readonly DeclaredRaw[]) => {
  const actionDoors = raw.filter(({ route }) => route.handler === 'RunsActions');
  const ownHandlers = raw.filter(({ route }) => route.handler === 'Own');
  const busy = raw.filter(({ route }) => route.busy);
  const forms = routes.filter(({ route }) => route.form !== undefined);
  return {
    'generated/router.ts': lines(
      banner,
      "import { createExpressEndpoints } from '@ts-rest/express';",
      "import type { Express, RequestHandler } from 'express';",
      recordImports(ownHandlers.filter(({ route }) => isAdmitted(route))),
      "import type { RouteHandlers } from '#server/context';",
      "import type { FormRoute, Guards, Identify, OwnHandler } from '#server/http/app-routes';",
      "import type { BusyPaths } from '#server/http/busy-paths';",
      "import { wrongMethod } from '#server/http/errors';",
      "import { rest, routes } from './rest.ts';",
      '',
      'export interface RouterParts {',
      '  readonly guards: Guards;',
      '  /** Serves all actions, for those whom `identify` knows. */',
      '  readonly runAction: (identify: Identify) => RequestHandler<{ action: string }>;',
      '  readonly handlers: RouteHandlers<typeof routes>;',
      '  /** Handlers that write their answer themselves. */',
      '  readonly own: {',
      ownHandlers.map(({ name, route }) => `    readonly ${name}: ${handlerType(route)};`),
      '  };',
      '  /** For bodies that come as multipart/form-data. */',
      '  readonly forms: {',
      forms.map(({ name }) => `    readonly ${name}: FormRoute;`),
      '  };',
      '}',
      '',
      '/** Answers the handlers of the busy paths, for who finds them sooner than Express does. */',
      'export const serveRoutes = (app: Express, { guards, runAction, handlers, own, forms }: RouterParts) => {',
      '  const busy = {',
      busy.map(({ name, route }) => `    '${route.path}': ${handlerOf(name, route)},`),
      '  } satisfies BusyPaths;',
      actionDoors.map(({ name, route }) => `  app.post('${route.path}', ${handlerOf(name, route, 'found')});`),
      ownHandlers.flatMap(ownLines),
      forms.map(
        ({ name, route }) =>
          `  app.${verb(route.method)}('${route.path}', forms.${name}(guards.writer(routes.${name})));`,
      ),
      '  createExpressEndpoints(',
      '    rest.routes,',
      '    {',
      routes.flatMap(routeLines),
      '    },',
      '    app,',
      '    { logInitialization: false, requestValidationErrorHandler: guards.refuseInput },',
      '  );',
      methodsByPath(routes, raw).map(
        ([path, methods]) => `  app.all('${path}', wrongMethod(${methods.map((method) => `'${method}'`).join(', ')}));`,
      ),
      '  return busy;',
      '};',
    ),
  };
};

const verb = (method: string) => method.toLowerCase();

const isAdmitted = ({ access }: RawRoute) => access === 'Session';

const identify = ({ access }: RawRoute) => {
  if (access === 'PersonalToken') return 'byToken';
  if (access === 'Session') return 'byPerson';
  throw new Error(`actions take a token or a person, not ${access}`);
};

const handlerType = (route: RawRoute) => {
  const params = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => `${name}: string`);
  const type = params.length > 0 ? `{ ${params.join('; ')} }` : 'Record<string, string>';
  return isAdmitted(route) ? `OwnHandler<${type}>` : `RequestHandler<${type}>`;
};

const handlerOf = (name: string, route: RawRoute, busy?: 'found') => {
  if (busy && route.busy) return `busy['${route.path}']`;
  return route.handler === 'RunsActions' ? `runAction(guards.${identify(route)})` : `own.${name}`;
};

const ownLines = ({ name, record, route }: DeclaredRaw): string[] => {
  // Express answers HEAD with the handler of GET.
  const verbs = route.methods === 'Every' ? ['all'] : route.methods.filter((method) => method !== 'HEAD').map(verb);
  return verbs.map((method) => {
    const start = `  app.${method}('${route.path}', `;
    if (isAdmitted(route)) return `${start}guards.forPerson(${record}.${name}, own.${name}));`;
    if (route.access === 'Operator') return `${start}guards.mustBeOperator, own.${name});`;
    return `${start}${handlerOf(name, route, 'found')});`;
  });
};

const routeLines = ({ name, route }: DeclaredRoute) => {
  const parts = ['params', 'query', 'body'] as const;
  const given = parts.filter((part) => route[part] !== undefined);
  const call = [
    '...guards.visit(req, res)',
    ...parts.map((part) => (given.includes(part) ? part : `${part}: undefined`)),
    route.access === 'Session' ? 'signedIn: guards.signedIn(res)' : 'signedIn: undefined',
    route.roles ? 'caller: guards.caller(res)' : 'caller: undefined',
  ];
  return [
    `      ${name}: {`,
    `        middleware: [guards.admit(routes.${name})],`,
    `        handler: async ({ ${[...given, 'req', 'res'].join(', ')} }) => {`,
    `          const answer = await handlers.${name}({`,
    ...call.map((field) => `            ${field},`),
    '          });',
    hasOneAnswer(route)
      ? `          return { status: 200, body: routes.${name}.responses[200].body.parse(answer) };`
      : '          return answer;',
    '        },',
    '      },',
  ];
};

const hasOneAnswer = ({ responses }: Route) => Object.keys(responses).join() === '200';

const methodsByPath = (routes: readonly DeclaredRoute[], raw: readonly DeclaredRaw[]) => {
  const byPath = new Map<string, string[]>();
  const add = (path: string, ...methods: string[]) => byPath.set(path, [...(byPath.get(path) ?? []), ...methods]);
  for (const { route } of raw) if (route.methods !== 'Every') add(route.path, ...route.methods);
  for (const { route } of routes) add(route.path, route.method);
  return [...byPath];
};
