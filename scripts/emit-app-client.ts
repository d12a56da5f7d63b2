import type { z } from 'zod';
import type { Route } from '#contracts/define';
import type { ClosedSets } from './closed-sets.ts';
import type { DeclaredRoute } from './contracts.ts';
import { doc, indent, pascal, TypePrinter } from './print-types.ts';
import { banner } from './text.ts';

/**
 * generated/app-client.ts: a method per route of the app. Types are printed, so that pages load no schemas. Descriptions
 * stay in contracts/ and in openapi/openapi-app.json.
 */
export const emitAppClient = (
  routes: readonly DeclaredRoute[],
  sdkTypes: ReadonlyMap<string, string>,
  closed: ClosedSets = {},
) => {
  const printer = new TypePrinter(closed);
  const methods = routes.filter(isForApp).map((one) => emitMethod(one, printer));
  const own = [...printer.named].filter(([name, type]) => !isInSdk(name, type, sdkTypes)).map(([, type]) => type);
  const text = [...methods, ...own].join('\n');
  const shared = [...sdkTypes.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(text)).sort();
  return {
    'generated/app-client.ts': `${banner}
import { AppHttp, type AppClientOptions, sdkOptions, type FormOptions } from '#web/base/app-http.ts';
import type { ApiPromise } from '#packages/sdk/src/api-promise';
import { Posthorn } from '#packages/sdk/src/generated/client';
import { errorClasses } from '#packages/sdk/src/generated/errors';
import type { CallOptions } from '#packages/sdk/src/http';
import type {
${indent(shared.join(',\n'))},
} from '#packages/sdk/src/generated/types';

export { type AppClientOptions, isAlreadyDone, type Progress, type FormOptions } from '#web/base/app-http.ts';
export * from '#packages/sdk/src/index';

export type AppClient = ReturnType<typeof createAppClient>;

/** The routes of the app, for a page with a session cookie; \`actions\` are those of the SDK, called by the same person. */
export const createAppClient = (options: AppClientOptions = {}) => {
  const http = new AppHttp(options, errorClasses);
  return {
    actions: new Posthorn(sdkOptions(options)),

${indent(indent(methods.join('')))}  };
};

${own.join('\n')}`,
  };
};

/** Excludes routes for tokens only, and for monitors. */
const isForApp = ({ route: { access } }: DeclaredRoute) =>
  access === 'Session' || access === 'SessionOrToken' || access === 'Public';

const isInSdk = (name: string, type: string, sdkTypes: ReadonlyMap<string, string>) => {
  const other = sdkTypes.get(name);
  if (other !== undefined && other !== type) throw new Error(`${name} of the app is not the ${name} of the SDK`);
  return other !== undefined;
};

const emitMethod = ({ name, file, route }: DeclaredRoute, printer: TypePrinter): string => {
  const output = printer.declare(`${pascal(name)}Output`, answerOf(name, route), 'output', '');
  const fields = fieldsOf(file, name, route);
  const about = doc(`${route.summary}.`);
  if (fields.length === 0) {
    return `${about}${name}: (options?: CallOptions): ApiPromise<${output}> => ${emitCall(route, '{}')},
`;
  }
  const schemas = [route.params, route.query, route.body].filter((schema) => schema !== undefined);
  const input = printer.declareTogether(`${pascal(name)}Input`, schemas, '');
  const allOptional = fields.every((field) => field.safeParse(undefined).success);
  if (route.form === undefined) {
    return `${about}${name}: (input: ${input}${allOptional ? ' = {}' : ''}, options?: CallOptions): ApiPromise<${output}> =>
  ${emitCall(route, 'input')},
`;
  }
  const form = printer.declareTogether(`${pascal(name)}Form`, [route.form], '');
  return `${about}${name}: (input: ${input} | ${form}, options?: FormOptions): ApiPromise<${output}> =>
  Object.values(input).some((value) => value instanceof Blob)
    ? http.form('${route.path}', input, options)
    : ${emitCall(route, 'input')},
`;
};

const emitCall = ({ method, path, query, idempotent }: Route, input: string): string => {
  const names = Object.keys(query?.shape ?? {}).map((field) => `'${field}'`);
  const isFilled = path.includes(':');
  const printed = isFilled
    ? `(field) => \`${path.replaceAll(/:(\w+)/g, (_, field: string) => `\${field('${field}')}`)}\``
    : `() => '${path}'`;
  const call = idempotent && idempotent !== 'InHandler' ? 'once' : 'json';
  return `http.${call}('${method}', ${printed}, [${names.join(', ')}], ${input}, options)`;
};

const answerOf = (name: string, route: Route): z.ZodType => {
  const answer = route.responses[200];
  if (answer?.contentType !== 'application/json')
    throw new Error(`${name} does not answer JSON, so no page can call it`);
  return answer.body;
};

/** Params, query and body become one argument, so field names must be unique. */
const fieldsOf = (file: string, name: string, { params, query, body }: Route) => {
  const fields = new Map<string, z.core.$ZodType & z.ZodType>();
  for (const schema of [params, query, body]) {
    for (const [field, type] of Object.entries(schema?.shape ?? {})) {
      if (fields.has(field)) throw new Error(`contracts/${file}.ts: ${name} has ${field} twice; rename one of them`);
      fields.set(field, type);
    }
  }
  return [...fields.values()];
};
