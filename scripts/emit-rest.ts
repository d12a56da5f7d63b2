import type { Route } from '#contracts/define';
import { commonErrors, type ErrorCode, errors } from '#contracts/errors';
import type { Declared } from './contracts.ts';
import { banner, lines } from './text.ts';

/** What a call of this action can answer beside its output. */
export const errorsOf = ({ action }: Declared): ErrorCode[] => {
  const can = new Set<ErrorCode>([...commonErrors, ...action.errors]);
  if (action.kind === 'NeedsApproval') can.add('ApprovalRequired');
  // An Idempotency-Key that was used for another request.
  if (action.kind === 'Write') can.add('Conflict');
  // The path names an action, so a client that is ahead of its server meets this.
  can.add('UnknownAction');
  return (Object.keys(errors) as ErrorCode[]).filter((code) => can.has(code));
};

export const byStatus = (codes: readonly ErrorCode[]) => {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) groups.set(errors[code].status, [...(groups.get(errors[code].status) ?? []), code]);
  return [...groups].sort(([a], [b]) => a - b);
};

/** generated/rest.ts: every path as a ts-rest contract. Schemas are referred to, never printed. */
export const emitRest = (declared: readonly Declared[], routes: RouteRecords) => {
  const records = new Map(declared.map(({ record, file }) => [record, file]));
  return {
    'generated/rest.ts': lines(
      banner,
      "import { type AppRouter, initContract } from '@ts-rest/core';",
      "import { z } from 'zod';",
      `import { ${Object.keys(routes).join(', ')} } from '#contracts/app';`,
      "import { errorSchemas as error } from '#contracts/errors';",
      [...records].map(([record, file]) => `import { ${record} } from '#contracts/${file}';`),
      '',
      'const c = initContract();',
      '',
      '/** Every path as a ts-rest contract: `initClient(rest.actions, …)` makes a client of it. */',
      'export const rest = {',
      '  actions: {',
      declared.flatMap(actionLines),
      '  },',
      Object.entries(routes).flatMap(([record, entries]) => [
        `  ${record}: {`,
        ...Object.entries(entries).flatMap(([name, route]) => routeLines(`${record}.${name}`, name, route)),
        '  },',
      ]),
      '} as const satisfies AppRouter;',
    ),
  };
};

export type RouteRecords = Readonly<Record<string, Readonly<Record<string, Route>>>>;

const answerLines = (codes: readonly ErrorCode[]) =>
  byStatus(codes).map(([status, group]) => {
    const schemas = group.map((code) => `error.${code}`).join(', ');
    return `        ${status}: ${group.length === 1 ? schemas : `z.discriminatedUnion('code', [${schemas}])`},`;
  });

const actionLines = (one: Declared) => [
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

const routeLines = (reference: string, name: string, route: Route) => [
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
