import { catalogRoutes } from '#contracts/catalog';
import type { Kind } from '#contracts/define';
import { errors, Issue } from '#contracts/errors';
import { events } from '#contracts/events';
import type { Retry } from '#packages/sdk/src/retries';
import { typescriptCall } from './code-samples.ts';
import type { DeclaredAction } from './contracts.ts';
import { errorsOf } from './emit-rest.ts';
import { pagedList } from './paged-list.ts';
import { doc, indent, pascal, TypePrinter, wrap } from './print-types.ts';
import { version } from './release.ts';
import { fillTables, tableRow } from './tables.ts';
import { banner, lines } from './text.ts';

/** Domains that have more than actions: the class in packages/sdk/ that their namespace extends, and its file. */
const extended: Record<string, { base: string; file: string }> = {
  media: { base: 'MediaUploads', file: '../media.ts' },
  posts: { base: 'PostWaiting', file: '../posts.ts' },
};

export const retryOf: Record<Kind, Retry> = { ReadOnly: 'Always', Write: 'WithKey', NeedsApproval: 'IfRefused' };

/** packages/sdk/src/generated/, and the tables of the README. The printer collects the types. */
export const emitSdk = (actions: readonly DeclaredAction[], printer = new TypePrinter()): Record<string, string> => {
  const client = emitClient(actions, printer);
  const files = {
    'version.ts': `${banner}\nexport const version = '${version}';\n`,
    'client.ts': client,
    // After the client, for which the printer collects the types.
    'types.ts': emitTypes(printer),
    'errors.ts': emitErrors(),
  };
  return {
    'packages/sdk/README.md': fillTables('packages/sdk/README.md', {
      actions: actions.map(({ name, action }) => tableRow(`\`${name}\``, action.summary, kindText[action.kind])),
      errors: Object.entries(errors).map(([code, { status, meaning }]) =>
        tableRow(`\`${errorClass(code)}\``, String(status), meaning),
      ),
    }),
    ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`packages/sdk/src/generated/${file}`, text])),
  };
};

const errorClass = (code: string): string => `${code}Error`;
const namespaceClass = (domain: string): string => `${pascal(domain)}Api`;

const emitClient = (actions: readonly DeclaredAction[], printer: TypePrinter): string => {
  const domains = [...new Set(actions.map(({ domain }) => domain))];
  const namespaces = domains.map((domain) => emitNamespace(domain, actions, printer));
  const classes = [emitPosthorn(domains, printer), ...namespaces].join('\n');
  const types = [...classes.matchAll(/(?:input: (?:Omit<)?|ApiPromise<|AsyncGenerator<)(\w+)/g)].map(
    ([, name]) => name,
  );
  const bases = domains.flatMap((domain) => extended[domain] ?? []);
  return lines(
    banner,
    "import type { ApiPromise } from '../api-promise.ts';",
    "import { type CallOptions, Http, type PosthornOptions } from '../http.ts';",
    bases.map(({ base, file }) => `import { ${base} } from '${file}';`),
    "import { Namespace } from '../namespace.ts';",
    "import { pages } from '../pages.ts';",
    "import { readCaller, type WhoAmI } from '../who-am-i.ts';",
    "import { errorClasses } from './errors.ts';",
    'import type {',
    `${indent([...new Set(types)].sort().join(',\n'))},`,
    "} from './types.ts';",
    '',
    classes.trimEnd(),
  );
};

const emitPosthorn = (domains: string[], printer: TypePrinter): string => {
  const { method, path, description, responses } = catalogRoutes.catalog;
  return `/** The client: one namespace per domain, one method per action. */
export class Posthorn {
${domains.map((domain) => `  readonly ${domain}: ${namespaceClass(domain)};\n`).join('')}  readonly #http: Http;

  constructor(options: PosthornOptions = {}) {
    this.#http = new Http(options, errorClasses);
${domains.map((domain) => `    this.${domain} = new ${namespaceClass(domain)}(this.#http);\n`).join('')}  }

${indent(doc(description))}  catalog(options?: CallOptions): ApiPromise<${printer.type(responses[200].body, 'output')}> {
    return this.#http.call({ method: '${method}', path: '${path}', retry: 'Always' }, options);
  }

  /** Whom the token stands for. */
  async whoAmI(options?: CallOptions): Promise<WhoAmI> {
    const { response } = await this.catalog(options).withResponse();
    return readCaller(response.headers);
  }
}
`;
};

const emitNamespace = (domain: string, actions: readonly DeclaredAction[], printer: TypePrinter): string => {
  const methods = actions.filter((action) => action.domain === domain).map((action) => emitMethod(action, printer));
  return `export class ${namespaceClass(domain)} extends ${extended[domain]?.base ?? 'Namespace'} {
${methods.map(indent).join('\n')}}
`;
};

const emitMethod = (one: DeclaredAction, printer: TypePrinter): string => {
  const { name, domain, verb, action } = one;
  const base = pascal(domain) + pascal(verb);
  const input = printer.declare(`${base}Input`, action.input, 'input', `What ${name} takes.`);
  const output = printer.declare(`${base}Output`, action.output, 'output', `What ${name} answers.`);
  const allOptional = Object.values(action.input.shape).every((field) => field.safeParse(undefined).success);
  const parameters = `input: ${input}${allOptional ? ' = {}' : ''}, options?: CallOptions`;
  const codes = errorsOf(one);
  const method = `${doc(
    `${action.summary}.`,
    '',
    wrap(action.description),
    action.kind === 'NeedsApproval'
      ? 'With a token it always answers ApprovalRequired; `error.approvalUrl` is where a human does it.'
      : undefined,
    '',
    '@example',
    typescriptCall(domain, verb, (action.examples[0]?.input ?? {}) as Record<string, unknown>),
    '',
    `@throws {${codes.map(errorClass).join(' | ')}}`,
  )}${verb}(${parameters}): ApiPromise<${output}> {
  return this.http.action('${name}', '${retryOf[action.kind]}', input, options);
}
`;
  const list = pagedList(action);
  if (list === undefined) return method;
  const all =
    list.chosenBy === undefined ? parameters : parameters.replace(input, `Omit<${input}, '${list.chosenBy}'>`);
  return `${method}
${doc(`Like ${verb}, item by item: asks for the next page when one is used up.`)}async *${verb}All(${all}): AsyncGenerator<${printer.type(list.element, 'output')}, void> {
  for await (const page of pages(input, (next) => this.${verb}(next, options))) yield* page.${list.field};
}
`;
};

const emitTypes = (printer: TypePrinter): string => {
  printer.type(Issue, 'output');
  const union = Object.values(events).map(({ schema, when }) => ({ name: printer.type(schema, 'output'), when }));
  const codes = Object.entries(errors).map(([code, { meaning }]) => `${doc(meaning)}| '${code}'`);
  return `${banner}
/** Every error answer carries one of these. */
export type ErrorCode =
${indent(codes.join('\n'))};

/** An event that a webhook delivers; \`type\` names its kind. */
export type WebhookEvent =
${indent(union.map(({ name, when }) => `${doc(when)}| ${name}`).join('\n'))};

${[...printer.named.values()].join('\n')}`;
};

const emitErrors = (): string => {
  const codes = Object.entries(errors);
  const imported = "import { ApiError, type ErrorClasses } from '../posthorn-error.ts';";
  return `${banner}
${imported}

${codes
  .map(
    ([
      code,
      { status, meaning },
    ]) => `${doc(`${status}. ${meaning}`)}export class ${errorClass(code)} extends ApiError<'${code}'> {
  override readonly name = '${errorClass(code)}';
}
`,
  )
  .join('\n')}
export const errorClasses: ErrorClasses = {
${codes.map(([code]) => `  ${code}: ${errorClass(code)},\n`).join('')}};
`;
};

export const kindText: Record<Kind, string> = {
  ReadOnly: 'reads',
  Write: 'writes',
  NeedsApproval: 'a human does it in the app',
};
