import { resolve } from 'node:path';
import pg from 'pg';
import {
  type CallExpression,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isPropertyAccessExpression,
  isSpreadElement,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import {
  API,
  type Checker,
  type Project,
  SymbolFlags,
  type Type,
  TypeFlags,
  type TypeReference,
} from 'typescript/unstable/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '#test/support/database';
import { readStatements, type ServiceStatement } from '#test/support/statements';

const root = resolve(import.meta.dirname, '../..', '..');

/** The rows that code expects of a statement: `db.query<Row>(statement)`. */
interface Expectation {
  readonly place: string;
  /** The name of the statement, or the common prefix of several names. */
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly kinds: readonly string[] }[];
}

let fresh: FreshDatabase;
let client: pg.Client;
let statements: ServiceStatement[];

beforeAll(async () => {
  statements = await readStatements();
  fresh = await freshDatabase({ isMigrated: true });
  client = new pg.Client(fresh.parts);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await fresh.drop();
});

/** The columns that PostgreSQL would answer with, by name. The statement does not run. */
const describeStatement = (text: string) =>
  new Promise<ReadonlyMap<string, string>>((done, fail) => {
    let columns = new Map<string, string>();
    client.query({
      submit: (connection: {
        parse(query: { name: string; text: string }): void;
        describe(what: { type: 'S'; name: string }): void;
        sync(): void;
      }) => {
        connection.parse({ name: '', text });
        connection.describe({ type: 'S', name: '' });
        connection.sync();
      },
      handleRowDescription: ({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }) => {
        columns = new Map(fields.map(({ name, dataTypeID }) => [name, kindOfColumn(dataTypeID)]));
      },
      handleError: fail,
      handleReadyForQuery: () => done(columns),
    } as unknown as pg.Submittable);
  });

const { builtins } = pg.types;
const kinds = new Map<number, string>([
  [builtins.BOOL, 'boolean'],
  ...[builtins.INT2, builtins.INT4, builtins.FLOAT4, builtins.FLOAT8].map((oid) => [oid, 'number'] as const),
  [builtins.BYTEA, 'Buffer'],
  [builtins.JSON, 'json'],
  [builtins.JSONB, 'json'],
  ...[1009, 1005, 1007, 1016, 1185, 2951].map((oid) => [oid, 'array'] as const),
]);
/** As pg parses it, where the service sets no parser of its own. */
const kindOfColumn = (oid: number) => kinds.get(oid) ?? 'string';

/** Their statements are made for a table that is an argument, and for one that Agenda makes when it starts. */
const notDescribed = ['/server/base/store/sealed-column.ts', '/server/base/jobs/read-jobs.ts'];

/** Every call of `query` and `queryReplica` of a Database whose rows have a type. */
const readExpectations = (): Expectation[] => {
  const api = new API({ cwd: root });
  try {
    const config = resolve(root, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} has no project`);
    const files = project.program.getSourceFileNames().filter((file) => file.startsWith(`${root}/server/`));
    return files.flatMap((file) => {
      const source = notDescribed.some((one) => file.endsWith(one)) ? undefined : project.program.getSourceFile(file);
      return source ? expectationsIn(source, project) : [];
    });
  } finally {
    api.close();
  }
};

const expectationsIn = (source: SourceFile, project: Project) =>
  callsIn(source).flatMap((call): Expectation[] => {
    if (!isQuery(call, project)) return [];
    const columns = columnsOf(rowOf(call, project), project);
    if (columns.length === 0) return [];
    const line = source.text.slice(0, call.getStart()).split('\n').length;
    const place = `${source.fileName.slice(root.length + 1)}:${line}`;
    return statementsOf(call, project).map((name) => ({ place, name, columns }));
  });

const callsIn = (node: Node): CallExpression[] => {
  const calls = isCallExpression(node) ? [node] : [];
  node.forEachChild((child) => {
    calls.push(...callsIn(child));
  });
  return calls;
};

const isQuery = ({ expression }: CallExpression, { checker }: Project) =>
  isPropertyAccessExpression(expression) &&
  ['query', 'queryReplica'].includes(expression.name.text) &&
  checker.getTypeAtLocation(expression.expression)?.getSymbol()?.name === 'Database';

/** `Promise<Row[]>` → `Row`. */
const rowOf = (call: CallExpression, { checker }: Project) => {
  const signature = checker.getResolvedSignature(call);
  const answer = signature && checker.getReturnTypeOfSignature(signature);
  const [rows] = answer ? checker.getTypeArguments(answer as TypeReference) : [];
  return rows && checker.getTypeArguments(rows as TypeReference)[0];
};

/** For a union, only the columns that all its members have. */
const columnsOf = (row: Type | undefined, { checker }: Project) =>
  (row ? checker.getPropertiesOfType(row) : [])
    .filter(({ flags }) => !(flags & SymbolFlags.Optional))
    .map((property) => ({ name: property.name, kinds: kindsOf(checker.getTypeOfSymbol(property), checker) }));

const kindsOf = (type: Type | undefined, checker: Checker): string[] => {
  if (type === undefined) return [];
  if (type.isUnionType()) return (type.getTypes() ?? []).flatMap((one) => kindsOf(one, checker));
  if (type.flags & (TypeFlags.Null | TypeFlags.Undefined | TypeFlags.Unknown)) return [];
  if (type.flags & TypeFlags.StringLike) return ['string'];
  if (type.flags & TypeFlags.NumberLike) return ['number'];
  if (type.flags & TypeFlags.BooleanLike) return ['boolean'];
  if (checker.isArrayLikeType(type)) return ['array'];
  return type.getSymbol()?.name === 'Buffer' ? ['Buffer'] : ['json'];
};

/** The statements of a call. A function that only passes arguments on, `db.query<Row>(...query)`, gets its callers'. */
const statementsOf = (call: CallExpression, project: Project): string[] => {
  const [statement] = call.arguments;
  if (statement === undefined) return [];
  if (!isSpreadElement(statement)) return namesOf(statement, project);
  let ancestor: Node = call;
  while (!isVariableDeclaration(ancestor)) ancestor = ancestor.parent;
  const name = ancestor.name.getText();
  return callsIn(call.getSourceFile())
    .filter(({ expression }) => expression.getText() === name)
    .flatMap((other) => statementsOf(other, project));
};

/** Follows imports. `search[group]` stands for several statements whose names share a prefix. */
const namesOf = (statement: Node, project: Project): string[] => {
  if (isConditionalExpression(statement)) {
    return [statement.whenTrue, statement.whenFalse].flatMap((one) => namesOf(one, project));
  }
  const symbol = project.checker.getSymbolAtLocation(
    isElementAccessExpression(statement) ? statement.expression : statement,
  );
  const target = symbol && symbol.flags & SymbolFlags.Alias ? project.checker.getAliasedSymbol(symbol) : symbol;
  const declaration = target?.valueDeclaration?.resolve(project);
  const names = (declaration ? callsIn(declaration) : []).flatMap(({ expression, arguments: [name] }) => {
    if (expression.getText() !== 'sql' || name === undefined) return [];
    return isTemplateExpression(name) ? [name.head.text] : isStringLiteral(name) ? [name.text] : [];
  });
  return names.length > 0 ? names : [statement.getText()];
};

const faultsOf = async ({ place, columns }: Expectation, { name, text }: ServiceStatement) => {
  const answer = await describeStatement(text).catch((error: Error) => error.message);
  if (typeof answer === 'string') return [`${place}: ${name} is refused: ${answer}`];
  return columns.flatMap((column) => {
    const kind = answer.get(column.name);
    if (kind === undefined) return [`${place}: ${name} has no column ${column.name}`];
    const isExpected = kind === 'json' || column.kinds.length === 0 || column.kinds.includes(kind);
    return isExpected ? [] : [`${place}: ${column.name} of ${name} is ${kind}, not ${column.kinds.join(' or ')}`];
  });
};

test('every row that code expects of a statement has the columns that PostgreSQL answers with', async () => {
  const expectations = readExpectations();
  const faults: string[] = [];
  for (const expectation of expectations) {
    const { name, place } = expectation;
    const named = statements.filter((one) => one.name === name || (name.endsWith('.') && one.name.startsWith(name)));
    if (named.length === 0) faults.push(`${place}: no statement ${name}`);
    for (const statement of named) faults.push(...(await faultsOf(expectation, statement)));
  }
  expect(faults).toEqual([]);
  expect(expectations.length).toBeGreaterThan(180);
});
