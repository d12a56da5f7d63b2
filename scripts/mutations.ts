import { type ESTree, parseSync } from 'vite';

type Node = ESTree.Node;

export const kinds = [
  'comparison',
  'number',
  'logic',
  'negation',
  'condition',
  'word',
  'entry',
  'call',
  'sql',
] as const;
export type Kind = (typeof kinds)[number];

/** The text from `start` to `end` becomes `after`. */
export interface Mutation {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

const comparisons: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '=': '<>',
  '<>': '=',
};

/** Roles and states: each is replaced by the one after it. */
const words = [
  ['owner', 'admin', 'editor', 'viewer'],
  ['Draft', 'Scheduled', 'Publishing', 'Published', 'Failed'],
  ['Open', 'Approved', 'Rejected', 'Outdated', 'Expired'],
  ['pending', 'sending', 'delivered', 'failed'],
  ['Connected', 'NeedsReconnect'],
  ['Ok', 'Reconnect', 'None'],
  ['Allowed', 'NeedsApproval'],
];

const wordAfter = (word: string) => {
  const set = words.find((one) => one.includes(word));
  return set?.[(set.indexOf(word) + 1) % set.length];
};

/** Small numbers change by one, large ones double: few tests check the last millisecond of an hour. */
const numberAfter = (value: number) => String(value < 10 ? value + 1 : value * 2);

/** Every mutation of a source file, in the order of the text. */
export const findMutations = (path: string, source: string): Mutation[] => {
  const mutations: Mutation[] = [];
  const add = (kind: Kind, { start, end }: { start: number; end: number }, after: string) => {
    if (parses(path, source.slice(0, start) + after + source.slice(end))) mutations.push({ kind, start, end, after });
  };
  const textOf = ({ start, end }: Node) => source.slice(start, end);

  const mutate = (node: Node, parent: Node | undefined) => {
    switch (node.type) {
      case 'BinaryExpression': {
        const after = comparisons[node.operator];
        if (after) add('comparison', node, `${textOf(node.left)} ${after} ${textOf(node.right)}`);
        return;
      }
      case 'LogicalExpression':
        if (node.operator !== '??')
          add('logic', node, `${textOf(node.left)} ${node.operator === '&&' ? '||' : '&&'} ${textOf(node.right)}`);
        return;
      case 'UnaryExpression':
        if (node.operator === '!') add('negation', node, textOf(node.argument));
        return;
      case 'IfStatement':
      case 'ConditionalExpression':
        add('condition', node.test, 'false');
        add('condition', node.test, 'true');
        return;
      case 'Literal': {
        const isKey = parent?.type === 'Property' && parent.key === node;
        if (typeof node.value === 'number') add('number', node, numberAfter(node.value));
        const word = typeof node.value === 'string' && !isKey ? wordAfter(node.value) : undefined;
        if (word) add('word', node, `'${word}'`);
        return;
      }
      case 'ArrayExpression':
        for (const element of node.elements) if (element) add('entry', withComma(source, element), '');
        return;
      case 'ObjectExpression':
        for (const property of node.properties) add('entry', withComma(source, property), '');
        return;
      case 'ExpressionStatement': {
        const { expression } = node;
        const call = expression.type === 'AwaitExpression' ? expression.argument : expression;
        if (call.type === 'CallExpression') add('call', node, ';');
        return;
      }
      case 'CallExpression': {
        const [, text] = node.arguments;
        if (node.callee.type !== 'Identifier' || node.callee.name !== 'sql' || !text) return;
        for (const { start, end, after } of mutateSql(textOf(text)))
          add('sql', { start: text.start + start, end: text.start + end }, after);
      }
    }
  };

  walk(parseSync(path, source).program, mutate);
  return mutations.toSorted((a, b) => a.start - b.start || a.end - b.end);
};

const parses = (path: string, source: string) => parseSync(path, source).errors.length === 0;

/** Skips types and imports, which have no effect at run time. */
const walk = (node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node) => {
  const isValue = !node.type.startsWith('TS') || 'expression' in node;
  if (!isValue || node.type === 'ImportDeclaration') return;
  visit(node, parent);
  for (const child of Object.values(node).flat()) {
    if (typeof child === 'object' && child !== null && 'type' in child && 'start' in child)
      walk(child as Node, visit, node);
  }
};

const withComma = (source: string, { start, end }: Node) => {
  const [comma] = /^\s*,/.exec(source.slice(end)) ?? [''];
  return { start, end: end + comma.length };
};

const condition = /\b(where|and|or|on|when) ([\w.]+) (<=|>=|<>|=|<|>) ([\w.$:']+(?:\([^()]*\))?)/g;

/** Negates a comparison or makes it always true. Parameters stay, so that the statement can still be prepared. */
const mutateSql = (text: string): Omit<Mutation, 'kind'>[] => [
  ...[...text.matchAll(condition)].flatMap(
    ({ 0: whole, 1: keyword = '', 2: left, 3: operator = '', 4: right, index }) => {
      const place = { start: index + keyword.length + 1, end: index + whole.length };
      return [
        { ...place, after: `${left} ${comparisons[operator]} ${right}` },
        { ...place, after: `(${left} ${operator} ${right} or true)` },
      ];
    },
  ),
  ...[...text.matchAll(/\bis (not )?null\b/g)].map(({ 0: whole, 1: isNot, index }) => ({
    start: index,
    end: index + whole.length,
    after: isNot ? 'is null' : 'is not null',
  })),
  ...[...text.matchAll(/\bnot exists\b/g)].map(({ index }) => ({ start: index, end: index + 10, after: 'exists' })),
  ...[...text.matchAll(/\b(?:limit|interval '|\+|-) ?(\d+)/g)].map(({ 0: whole, 1: digits = '', index }) => ({
    start: index + whole.length - digits.length,
    end: index + whole.length,
    after: numberAfter(Number(digits)),
  })),
];
