import { listOf, type Node, nodeOf, nodesIn, nodesOf, wordOf } from './node-tree.ts';

/** What PostgreSQL's catalog says of the columns, functions and operators that a tree names by their numbers. */
export interface Catalog {
  /** `relation.column`, each by its number. */
  readonly notNullColumns: ReadonlySet<string>;
  readonly functions: ReadonlyMap<string, Callable>;
  readonly operators: ReadonlyMap<string, Callable>;
}

export interface Callable {
  readonly name: string;
  /** It answers null where an argument is null. */
  readonly isStrict: boolean;
  /** It casts a type other than JSON, whose null becomes an SQL null. */
  readonly isCast: boolean;
}

/** A query, and the one around it, whose columns it can name too. */
interface Scope {
  readonly query: Node;
  readonly outer: Scope | undefined;
  readonly catalog: Catalog;
  /** Columns that are not null in any row of the result, because a condition does not hold where they are. */
  readonly demanded: ReadonlySet<string>;
  /** Relations that have a row in every row of the result, although an outer join might have left it out. */
  readonly present: ReadonlySet<string>;
  /** What an insert or update writes, by column: `returning` shows it. */
  readonly written: ReadonlyMap<string, Node>;
  /** While the columns of a recursive query are found: those found so far. */
  readonly recursive: Map<Node, readonly boolean[]>;
}

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Functions that answer null only for a null. */
const totalFunctions = words(`
  array_remove array_to_string btrim cardinality ceil clock_timestamp concat concat_ws current_database current_setting
  date_bin date_trunc decode encode floor gen_random_uuid hashtextextended host isfinite json_array_length
  json_build_array json_build_object json_strip_nulls json_typeof jsonb_array_length jsonb_build_array
  jsonb_build_object jsonb_path_query_array jsonb_set jsonb_strip_nulls jsonb_typeof left length lower md5 now
  octet_length pg_advisory_xact_lock pg_backend_pid pg_current_wal_lsn pg_notify posthorn_now quote_ident replace right
  round row_to_json set_config sha256 split_part starts_with string_to_array timezone to_char to_json to_jsonb
  to_timestamp upper width_bucket`);
/** Those of them that answer no null at all. */
const neverNull = words(`
  concat json_build_array json_build_object jsonb_build_array jsonb_build_object pg_notify set_config`);
/** Operators that may find nothing. */
const partialOperators = words('-> ->> #> #>> @? @@ # ##');
/** Functions in `from` whose rows have no null. */
const totalSets = words(`
  generate_series generate_subscripts json_array_elements json_each json_object_keys jsonb_array_elements jsonb_each
  jsonb_object_keys jsonb_path_query regexp_split_to_table`);
const totalWindows = words('count cume_dist dense_rank ntile percent_rank rank row_number');
/** Of a group, these are null only where an argument is. */
const totalAggregates = words('avg bool_and bool_or every max min string_agg sum');
/** Of a group, these are never null. */
const collectingAggregates = words('array_agg json_agg json_object_agg jsonb_agg jsonb_object_agg');

/** PostgreSQL's own numbers for what stands in a tree. */
const command = { select: '1', update: '2', insert: '3', merge: '5' };
const relation = { table: '0', subquery: '1', join: '2', function: '3', values: '5', cte: '6', group: '9' };
const join = { inner: '0', left: '1', right: '3' };
const link = { exists: '0', any: '2', expression: '4', array: '6' };
const setOperation = { intersect: '2', except: '3' };
const nullTest = { isNotNull: '1' };

/** Whether each result column of a query may be null. What is not known to be filled may be null. */
export const nullableColumns = (query: Node, catalog: Catalog): boolean[] => {
  const scope = scopeOf(query, { catalog, recursive: new Map() });
  return columnsOf(query).map((_, index) => isColumnNullable(scope, index + 1));
};

/** In order. */
export const columnsOf = (query: Node): Node[] =>
  nodesOf(query, wordOf(query, 'commandType') === command.select ? 'targetList' : 'returningList').filter(
    (entry) => wordOf(entry, 'resjunk') === 'false',
  );

const isColumnNullable = (scope: Scope, number: number): boolean => {
  const operation = nodeOf(scope.query, 'setOperations');
  if (operation) return isNullableOfSet(operation, number, scope);
  if (wordOf(scope.query, 'commandType') === command.merge) return true;
  return isNullable(expressionOf(columnsOf(scope.query)[number - 1]), scope);
};

const isNullableOfSet = (operation: Node, number: number, scope: Scope): boolean => {
  if (operation.kind === 'RANGETBLREF')
    return isRelationNullable(relationAt(scope, operation, 'rtindex'), number, scope);
  const isSideNullable = (side: string) =>
    nodesIn(operation.fields.get(side) ?? null).some((one) => isNullableOfSet(one, number, scope));
  switch (wordOf(operation, 'op')) {
    case setOperation.except:
      return isSideNullable('larg');
    case setOperation.intersect:
      return isSideNullable('larg') && isSideNullable('rarg');
    default:
      return isSideNullable('larg') || isSideNullable('rarg');
  }
};

const isNullable = (expression: Node | undefined, scope: Scope): boolean => {
  if (expression === undefined) return true;
  const isArgumentNullable = (argument: Node | undefined) => isNullable(argument, scope);
  const args = nodesOf(expression, 'args');
  switch (expression.kind) {
    case 'ARRAYEXPR':
    case 'BOOLEANTEST':
    case 'DISTINCTEXPR':
    case 'NULLTEST':
    case 'ROWEXPR':
      return false;
    case 'CONST':
      return wordOf(expression, 'constisnull') !== 'false';
    case 'ARRAYCOERCEEXPR':
    case 'COERCEVIAIO':
    case 'COLLATEEXPR':
    case 'RELABELTYPE':
      return isArgumentNullable(nodeOf(expression, 'arg'));
    case 'BOOLEXPR':
      return args.some(isArgumentNullable);
    case 'COALESCEEXPR':
    case 'MINMAXEXPR':
      return args.every(isArgumentNullable);
    case 'CASEEXPR':
      return [...args.map((when) => nodeOf(when, 'result')), nodeOf(expression, 'defresult')].some(isArgumentNullable);
    case 'OPEXPR': {
      const operator = scope.catalog.operators.get(wordOf(expression, 'opno'));
      return !operator || partialOperators.has(operator.name) || args.some(isArgumentNullable);
    }
    case 'SCALARARRAYOPEXPR':
      return args.some((arg, index) =>
        // An array that is not spelled out may have nulls.
        index === 0
          ? isArgumentNullable(arg)
          : arg.kind !== 'ARRAYEXPR' || nodesOf(arg, 'elements').some(isArgumentNullable),
      );
    case 'FUNCEXPR':
      return isCallNullable(expression, args, scope);
    case 'AGGREF':
      return isAggregateNullable(expression, args, scope);
    case 'WINDOWFUNC':
      return !totalWindows.has(nameOf(expression, 'winfnoid', scope));
    case 'SUBLINK':
      return isLinkNullable(expression, scope);
    case 'VAR':
      return isVariableNullable(expression, scope);
    default:
      return true;
  }
};

const isCallNullable = (call: Node, args: readonly Node[], scope: Scope) => {
  const callee = scope.catalog.functions.get(wordOf(call, 'funcid'));
  // Beside a longer set, a set in the columns is filled up with nulls.
  if (callee === undefined || wordOf(call, 'funcretset') !== 'false') return true;
  if (neverNull.has(callee.name)) return false;
  // Of an infinite time only some fields have a number, such as the epoch.
  const isEpoch = ['date_part', 'extract'].includes(callee.name) && textOf(args[0]) === 'epoch';
  // Null elements are left out; without a separator there is nothing.
  const needed = callee.name === 'concat_ws' ? args.slice(0, 1) : args;
  return !(callee.isCast || isEpoch || totalFunctions.has(callee.name)) || needed.some((arg) => isNullable(arg, scope));
};

const isAggregateNullable = (aggregate: Node, args: readonly Node[], scope: Scope) => {
  const name = nameOf(aggregate, 'aggfnoid', scope);
  if (name === 'count') return false;
  const { query } = ascend(scope, wordOf(aggregate, 'agglevelsup'));
  const mayHaveNoRow =
    nodesOf(query, 'groupClause').length === 0 ||
    nodesOf(query, 'groupingSets').length > 0 ||
    nodeOf(aggregate, 'aggfilter') !== undefined;
  if (mayHaveNoRow) return true;
  return !(
    collectingAggregates.has(name) ||
    (totalAggregates.has(name) && args.every((entry) => !isNullable(expressionOf(entry), scope)))
  );
};

const isLinkNullable = (sublink: Node, scope: Scope) => {
  const query = nodeOf(sublink, 'subselect');
  switch (wordOf(sublink, 'subLinkType')) {
    case link.exists:
    case link.array:
      return false;
    case link.expression:
      return query === undefined || !hasOneRow(query) || isColumnNullable(scopeOf(query, scope), 1);
    default:
      return true;
  }
};

/** Always exactly one. */
const hasOneRow = (query: Node) => {
  const isPlain = ['groupClause', 'groupingSets', 'havingQual', 'limitCount', 'limitOffset', 'setOperations'].every(
    (clause) => query.fields.get(clause) === null,
  );
  const from = nodeOf(query, 'jointree');
  const hasNoSource =
    from !== undefined && listOf(from, 'fromlist').length === 0 && nodeOf(from, 'quals') === undefined;
  return isPlain && wordOf(query, 'hasTargetSRFs') === 'false' && (wordOf(query, 'hasAggs') === 'true' || hasNoSource);
};

const isVariableNullable = (variable: Node, from: Scope) => {
  const scope = ascend(from, wordOf(variable, 'varlevelsup'));
  // `old` and `new` of `returning` may have no row.
  if (wordOf(variable, 'varreturningtype') !== '0') return true;
  const source = relationAt(scope, variable, 'varno');
  const number = Number(wordOf(variable, 'varattno'));
  const written = scope.written.get(columnKey(variable));
  // What is written was computed from the row before.
  if (written)
    return isRelationNullable(source, number, scope) && isNullable(written, { ...scope, written: new Map() });
  if (scope.demanded.has(columnKey(variable))) return false;
  const mayBeMissing = listOf(variable, 'varnullingrels').length > 1;
  if (mayBeMissing && !scope.present.has(relationKey(variable))) return true;
  return isRelationNullable(source, number, scope);
};

const isRelationNullable = (source: Node, number: number, scope: Scope): boolean => {
  // A column of the system, or the whole row.
  if (number < 1) return false;
  const isNullableAt = (list: readonly Node[]) => isNullable(list[number - 1], scope);
  switch (wordOf(source, 'rtekind')) {
    case relation.table:
      return !scope.catalog.notNullColumns.has(`${wordOf(source, 'relid')}.${number}`);
    case relation.subquery: {
      const query = nodeOf(source, 'subquery');
      return query === undefined || isColumnNullable(scopeOf(query, scope), number);
    }
    case relation.join:
      return isNullableAt(nodesOf(source, 'joinaliasvars'));
    case relation.group:
      return isNullableAt(nodesOf(source, 'groupexprs'));
    case relation.values:
      return listOf(source, 'values_lists').some((row) => isNullableAt(nodesIn(row)));
    case relation.function:
      return isFunctionNullable(source, number, scope);
    case relation.cte:
      return isCteNullable(source, number, scope);
    default:
      return true;
  }
};

const isFunctionNullable = (source: Node, number: number, scope: Scope) => {
  const functions = nodesOf(source, 'functions');
  const columns = functions.reduce((sum, one) => sum + Number(wordOf(one, 'funccolcount')), 0);
  const isOrdinality = number > columns && wordOf(source, 'funcordinality') === 'true';
  if (isOrdinality) return false;
  const call = functions[0] && nodeOf(functions[0], 'funcexpr');
  // Of several functions, the shorter ones are filled up with nulls.
  if (call === undefined || functions.length > 1) return true;
  const isSet = wordOf(call, 'funcretset') === 'true';
  return isSet ? !totalSets.has(nameOf(call, 'funcid', scope)) : isNullable(call, scope);
};

const isCteNullable = (source: Node, number: number, from: Scope) => {
  const scope = ascend(from, wordOf(source, 'ctelevelsup'));
  const cte = nodesOf(scope.query, 'cteList').find((one) => wordOf(one, 'ctename') === wordOf(source, 'ctename'));
  const query = cte && nodeOf(cte, 'ctequery');
  if (cte === undefined || query === undefined) return true;
  const known = scope.recursive.get(cte);
  if (known) return known[number - 1] ?? true;
  const inside = scopeOf(query, scope);
  if (wordOf(cte, 'cterecursive') !== 'true') return isColumnNullable(inside, number);
  // It names itself: first no column counts as nullable, then those do that follow from it, until no more do.
  let columns = columnsOf(query).map(() => false);
  for (;;) {
    scope.recursive.set(cte, columns);
    const next = columns.map((_, index) => isColumnNullable(inside, index + 1));
    if (next.every((one, index) => one === columns[index])) break;
    columns = next;
  }
  scope.recursive.delete(cte);
  return columns[number - 1] ?? true;
};

const scopeOf = (query: Node, outer: Scope | Pick<Scope, 'catalog' | 'recursive'>): Scope => {
  const demanded = conditionsIn(nodeOf(query, 'jointree')).flatMap((condition) => demandedBy(condition, outer.catalog));
  return {
    query,
    outer: 'query' in outer ? outer : undefined,
    catalog: outer.catalog,
    recursive: outer.recursive,
    demanded: new Set(demanded.map(columnKey)),
    present: new Set(demanded.map(relationKey)),
    written: writtenBy(query),
  };
};

const writtenBy = (query: Node) => {
  const isWriting = [command.insert, command.update].includes(wordOf(query, 'commandType'));
  // Of a row that existed, `on conflict` writes something else.
  if (!isWriting || nodeOf(query, 'onConflict')) return new Map<string, Node>();
  const target = wordOf(query, 'resultRelation');
  return new Map(
    nodesOf(query, 'targetList').flatMap((entry): [string, Node][] => {
      const value = expressionOf(entry);
      return value ? [[`${target} b.${wordOf(entry, 'resno')}`, value]] : [];
    }),
  );
};

/** Those that hold for every row of the result. */
const conditionsIn = (source: Node | undefined): Node[] => {
  if (source === undefined || source.kind === 'RANGETBLREF') return [];
  const quals = nodesIn(source.fields.get('quals') ?? null);
  if (source.kind === 'FROMEXPR') return [...quals, ...nodesOf(source, 'fromlist').flatMap(conditionsIn)];
  const [left, right] = ['larg', 'rarg'].map((side) => conditionsIn(nodeOf(source, side))) as [Node[], Node[]];
  switch (wordOf(source, 'jointype')) {
    case join.inner:
      return [...quals, ...left, ...right];
    case join.left:
      return left;
    case join.right:
      return right;
    default:
      return [];
  }
};

/** The columns that are not null where a condition holds. */
const demandedBy = (condition: Node | undefined, catalog: Catalog): Node[] => {
  if (condition === undefined) return [];
  const args = nodesOf(condition, 'args');
  switch (condition.kind) {
    case 'BOOLEXPR':
      return wordOf(condition, 'boolop') === 'and' ? args.flatMap((arg) => demandedBy(arg, catalog)) : [];
    case 'NULLTEST':
      return wordOf(condition, 'nulltesttype') === nullTest.isNotNull
        ? neededFor(nodeOf(condition, 'arg'), catalog)
        : [];
    case 'SCALARARRAYOPEXPR':
      // `all` holds for an empty array, whatever is compared.
      return wordOf(condition, 'useOr') === 'true' ? neededFor(args[0], catalog) : [];
    case 'SUBLINK':
      return wordOf(condition, 'subLinkType') === link.any ? neededFor(nodeOf(condition, 'testexpr'), catalog) : [];
    default:
      return neededFor(condition, catalog);
  }
};

/** The columns without which a value is null. */
const neededFor = (value: Node | undefined, catalog: Catalog): Node[] => {
  if (value === undefined) return [];
  const isStrict =
    catalog.operators.get(wordOf(value, 'opno'))?.isStrict ?? catalog.functions.get(wordOf(value, 'funcid'))?.isStrict;
  switch (value.kind) {
    case 'VAR':
      return wordOf(value, 'varlevelsup') === '0' ? [value] : [];
    case 'COERCEVIAIO':
    case 'RELABELTYPE':
      return neededFor(nodeOf(value, 'arg'), catalog);
    case 'FUNCEXPR':
    case 'OPEXPR':
      return isStrict ? nodesOf(value, 'args').flatMap((arg) => neededFor(arg, catalog)) : [];
    default:
      return [];
  }
};

/** Of a text constant: four bytes say how long it is. */
const textOf = (constant: Node | undefined) =>
  constant && String.fromCharCode(...listOf(constant, 'constvalue').slice(4).map(Number));

const expressionOf = (entry: Node | undefined) => entry && nodeOf(entry, 'expr');

const ascend = (scope: Scope, levels: string): Scope => {
  let found: Scope | undefined = scope;
  for (let level = Number(levels); level > 0; level--) found = found?.outer;
  if (found === undefined) throw new Error(`A column is ${levels} queries further out than there are`);
  return found;
};

const relationAt = ({ query }: Scope, node: Node, field: string) => {
  const source = nodesOf(query, 'rtable')[Number(wordOf(node, field)) - 1];
  if (source === undefined) throw new Error(`A query has no relation ${wordOf(node, field)}`);
  return source;
};

const nameOf = (call: Node, field: string, { catalog }: Scope) =>
  catalog.functions.get(wordOf(call, field))?.name ?? '';

/** The same relation may be outside of an outer join in one place, and inside in another. */
const relationKey = (variable: Node) => [wordOf(variable, 'varno'), ...listOf(variable, 'varnullingrels')].join(' ');

const columnKey = (variable: Node) => `${relationKey(variable)}.${wordOf(variable, 'varattno')}`;
