import { commonErrors, type ErrorCode, errors } from '#contracts/errors';
import { type DeclaredAction, type DeclaredRoute, recordImports, recordNames } from './contracts.ts';
import { banner, lines } from './text.ts';

/** The errors that a call of this action can return. */
export const errorsOf = ({ action }: DeclaredAction): ErrorCode[] => {
  const codes = new Set<ErrorCode>([...commonErrors, ...action.errors]);
  if (action.kind === 'NeedsApproval') codes.add('ApprovalRequired');
  // An Idempotency-Key that was used for another request.
  if (action.kind === 'Write') codes.add('Conflict');
  // The action is part of the path, so a client newer than its server gets this.
  codes.add('UnknownAction');
  return (Object.keys(errors) as ErrorCode[]).filter((code) => codes.has(code));
};

export const byStatus = (codes: readonly ErrorCode[]) => {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) groups.set(errors[code].status, [...(groups.get(errors[code].status) ?? []), code]);
  return [...groups].sort(([a], [b]) => a - b);
};

/** generated/rest.ts: the actions as a ts-rest contract, and all other routes as they are declared. */
export const emitRest = (declared: readonly DeclaredAction[], routes: readonly DeclaredRoute[]) => ({
  'generated/rest.ts': lines(
    banner,
    "import type { AppRouter } from '@ts-rest/core';",
    "import { z } from 'zod';",
    "import { errorSchemas as error } from '#contracts/errors';",
    recordImports([...declared, ...routes]),
    '',
    '/** Every path that is not an action. */',
    'export const routes = {',
    recordNames(routes).map((record) => `  ...${record},`),
    '};',
    '',
    'export const rest = {',
    '  actions: {',
    declared.flatMap(actionLines),
    '  },',
    '} as const satisfies AppRouter;',
  ),
});

/** The ts-rest contract of the package, with routes. Schemas are imported, never printed. */
export const printContract = (declared: readonly DeclaredAction[], routes: readonly DeclaredRoute[]) =>
  lines(
    banner,
    "import { type AppRouter, initContract } from '@ts-rest/core';",
    "import { z } from 'zod';",
    "import { errorSchemas as error } from '#contracts/errors';",
    recordImports([...declared, ...routes]),
    '',
    'const c = initContract();',
    '',
    '/** Every path as a ts-rest contract: `initClient(rest.actions, …)` makes a client of it. */',
    'export const rest = {',
    '  actions: {',
    declared.flatMap(actionLines),
    '  },',
    '  routes: {',
    routes.flatMap(routeLines),
    '  },',
    '} as const satisfies AppRouter;',
  );

const answerLines = (codes: readonly ErrorCode[]) =>
  byStatus(codes).map(([status, group]) => {
    const schemas = group.map((code) => `error.${code}`).join(', ');
    return `        ${status}: ${group.length === 1 ? schemas : `z.discriminatedUnion('code', [${schemas}])`},`;
  });

const actionLines = (one: DeclaredAction) => [
  `    '${one.name}': {`,
  "      method: 'POST',",
  `      path: '/api/agent/tools/${one.name}',`,
  `      summary: ${JSON.stringify(one.action.summary)},`,
  `      body: ${one.record}['${one.name}'].input,`,
  '      responses: {',
  `        200: ${one.record}['${one.name}'].output,`,
  ...answerLines(errorsOf(one)),
  '      },',
  '    },',
];

const routeLines = ({ name, record, route }: DeclaredRoute) => {
  const reference = `${record}.${name}`;
  return [
    `    ${name}: {`,
    `      method: '${route.method}',`,
    `      path: '${route.path}',`,
    `      summary: ${JSON.stringify(route.summary)},`,
    ...(route.params ? [`      pathParams: ${reference}.params,`] : []),
    ...(route.query ? [`      query: ${reference}.query,`] : []),
    ...(route.body ? [`      body: ${reference}.body,`] : []),
    `      metadata: ${JSON.stringify({ access: route.access, ...(route.roles && { roles: route.roles }) })},`,
    '      responses: {',
    ...Object.entries(route.responses).map(([status, { contentType }]) => {
      const body = `${reference}.responses[${status}].body`;
      return contentType === 'application/json'
        ? `        ${status}: ${body},`
        : `        ${status}: c.otherResponse({ contentType: '${contentType}', body: ${body} }),`;
    }),
    ...answerLines(route.errors),
    '      },',
    '    },',
  ];
};
