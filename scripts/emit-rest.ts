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
export const emitRest = (declared: readonly Declared[], routes: Readonly<Record<string, Route>>) => {
  const records = new Map(declared.map(({ record, file }) => [record, file]));
  const answers = (used: readonly ErrorCode[]) =>
    byStatus(used).map(([status, group]) => {
      const schemas = group.map((code) => `error.${code}`).join(', ');
      const schema = group.length === 1 ? schemas : `z.discriminatedUnion('code', [${schemas}])`;
      return `        ${status}: ${schema},`;
    });
  return {
    'generated/rest.ts': lines(
      banner,
      "import { type AppRouter, initContract } from '@ts-rest/core';",
      "import { z } from 'zod';",
      "import { routes } from '#contracts/app';",
      "import { errorSchemas as error } from '#contracts/errors';",
      [...records].map(([record, file]) => `import { ${record} } from '#contracts/${file}';`),
      '',
      'const c = initContract();',
      '',
      '/** Every path as a ts-rest contract: `initClient(rest.actions, …)` makes a client of it. */',
      'export const rest = {',
      '  actions: {',
      declared.flatMap((one) =>
        [
          `    '${one.name}': {`,
          "      method: 'POST',",
          `      path: '/api/agent/tools/${one.name}',`,
          `      summary: ${JSON.stringify(one.action.summary)},`,
          `      body: ${one.record}['${one.name}'].input,`,
          '      responses: {',
          `        200: ${one.record}['${one.name}'].output,`,
          answers(errorsOf(one)),
          '      },',
          '    },',
        ].flat(),
      ),
      '  },',
      '  routes: {',
      Object.entries(routes).flatMap(([name, route]) =>
        [
          `    ${name}: {`,
          `      method: '${route.method}',`,
          `      path: '${route.path}',`,
          `      summary: ${JSON.stringify(route.summary)},`,
          '      responses: {',
          Object.entries(route.responses).map(([status, { contentType }]) =>
            contentType === 'application/json'
              ? `        ${status}: routes.${name}.responses[${status}].body,`
              : `        ${status}: c.otherResponse({ contentType: '${contentType}', body: routes.${name}.responses[${status}].body }),`,
          ),
          answers(route.errors),
          '      },',
          '    },',
        ].flat(),
      ),
      '  },',
      '} as const satisfies AppRouter;',
    ),
  };
};
