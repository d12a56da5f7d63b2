import type { McpListing } from '#contracts/define';
import { type Scope, scopes } from '#contracts/scopes';
import type { RunnableAction } from '#server/agents/admission';
import { escapeRegExp } from '#server/base/escape-reg-exp';

/** An entry of generated/mcp-tools.ts. */
export interface McpTool {
  readonly action: string;
  readonly scope: Scope;
  readonly listing: McpListing;
  /** As tools/list shows it. */
  readonly tool: { readonly name: string };
}

export interface CallableTool {
  readonly name: string;
  readonly scope: Scope;
  readonly action: RunnableAction;
}

/** Which tools a caller has: by the token's scopes, and by whether the workspace switched the statistics tools on. */
export interface ToolAccess {
  readonly scopes: ReadonlySet<Scope>;
  readonly statisticsTools: boolean;
}

export type Tools = ReturnType<typeof createTools>;

const everyScope = Object.keys(scopes) as Scope[];

export const createTools = (tools: readonly McpTool[], actions: ReadonlyMap<string, RunnableAction>) => {
  const toolsByName = new Map(
    tools.map(({ action: name, scope, listing, tool }) => {
      const action = actions.get(name);
      if (action === undefined) throw new Error(`The tool ${tool.name} has no action ${name}.`);
      const callable: CallableTool = { name: tool.name, scope, action };
      return [tool.name, { callable, listing, text: JSON.stringify(tool) }] as const;
    }),
  );
  const isOffered = (listing: McpListing, { statisticsTools }: ToolAccess) => listing === 'Listed' || statisticsTools;

  const lists = new Map<number, string>();
  const write = (access: ToolAccess) =>
    [...toolsByName.values()]
      .filter(({ callable, listing }) => access.scopes.has(callable.scope) && isOffered(listing, access))
      .map(({ text }) => text)
      .join();

  const actionNames = tools.map(({ action }) => escapeRegExp(action)).join('|');
  const dotted = new RegExp(`\\b(?:${actionNames})\\b`, 'g');

  return {
    /** Messages name actions as REST does (`posts.get`); agents know the tool names (`posts_get`). */
    inToolNames: (text: string) => text.replace(dotted, (name) => name.replace('.', '_')),

    /** Also finds tools outside the token's scopes, so that the refusal can name the missing scope. */
    find: (name: string, access: ToolAccess): CallableTool | undefined => {
      const tool = toolsByName.get(name);
      return tool && isOffered(tool.listing, access) ? tool.callable : undefined;
    },

    /** The JSON of `tools`. At most 32 different lists exist, so each is serialized once. */
    list: (access: ToolAccess): string => {
      let key = access.statisticsTools ? 1 : 0;
      for (const scope of everyScope) key = key * 2 + (access.scopes.has(scope) ? 1 : 0);
      let list = lists.get(key);
      if (list === undefined) {
        list = `[${write(access)}]`;
        lists.set(key, list);
      }
      return list;
    },
  };
};
