/** A node of PostgreSQL's tree of an analyzed query. `kind` is its name there, such as `OPEXPR`. */
export interface Node {
  readonly kind: string;
  readonly fields: ReadonlyMap<string, Tree>;
}

export type Tree = Node | readonly Tree[] | string | null;

const token = /[(){}]|"(?:\\.|[^"\\])*"|(?:\\.|[^\s(){}"\\])+/gs;

/** Reads the text form of a pg_node_tree: `{VAR :varno 1 :varnullingrels (b 3)}`. */
export const readNodeTree = (text: string): Tree => {
  const tokens = text.match(token) ?? [];
  let at = 0;

  const readUntil = <Part>(end: string, readPart: () => Part): Part[] => {
    const parts: Part[] = [];
    while (tokens[at] !== end) {
      if (at >= tokens.length) throw new Error(`PostgreSQL's tree has no ${end} at its end: ${text}`);
      parts.push(readPart());
    }
    at++;
    return parts;
  };

  const readTree = (): Tree => {
    const first = tokens[at++] ?? '';
    if (first === '(') return readUntil(')', readTree);
    if (first === '{') return readNode();
    return first === '<>' ? null : first.replace(/^"|"$/g, '').replace(/\\(.)/gs, '$1');
  };

  const readNode = (): Node => {
    const kind = tokens[at++] ?? '';
    const fields = readUntil('}', (): [string, Tree] => {
      const name = tokens[at++] ?? '';
      const value = readTree();
      if (tokens[at] !== '[') return [name.slice(1), value];
      // The bytes of a constant, behind their number.
      at++;
      return [name.slice(1), readUntil(']', readTree)];
    });
    return { kind, fields: new Map(fields) };
  };

  return readTree();
};

const isNode = (tree: Tree | undefined): tree is Node => typeof tree === 'object' && tree !== null && 'kind' in tree;

export const nodeOf = ({ fields }: Node, name: string) => {
  const value = fields.get(name);
  return isNode(value) ? value : undefined;
};

export const listOf = ({ fields }: Node, name: string): readonly Tree[] => {
  const value = fields.get(name);
  return Array.isArray(value) ? value : [];
};

export const nodesOf = (node: Node, name: string) => listOf(node, name).filter(isNode);

/** A number, name or flag; empty for nothing. */
export const wordOf = ({ fields }: Node, name: string) => {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};

export const nodesIn = (tree: Tree): Node[] =>
  Array.isArray(tree) ? tree.flatMap(nodesIn) : isNode(tree) ? [tree] : [];
