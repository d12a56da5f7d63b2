import type { McpListing } from '#contracts/define';
import type { Scope } from '#contracts/scopes';
import { escapeRegExp } from '#server/base/escape-reg-exp';
import { type DeclaredAction, toolName } from './contracts.ts';
import { inputJsonSchema } from './json-schema.ts';
import { banner, compactJson, lines } from './text.ts';

interface McpTool {
  action: string;
  scope: Scope;
  listing: McpListing;
  /** As tools/list shows it. */
  tool: {
    name: string;
    title: string;
    description: string;
    inputSchema: Record<string, unknown>;
    annotations: Record<string, boolean>;
  };
}

/** generated/mcp-tools.ts: the tools of the MCP endpoint, ready to send. */
export const emitMcpTools = (declared: readonly DeclaredAction[]) => {
  const offered = declared.filter(({ action }) => action.mcp !== 'Never');
  const withToolNames = toolNamesFor(offered);
  const tools = offered.map(
    ({ name, action }): McpTool => ({
      action: name,
      scope: action.scope,
      listing: action.mcp,
      tool: withToolNames({
        name: toolName(name),
        title: action.summary,
        description: action.description,
        inputSchema: inputJsonSchema(action.input),
        // SPEC, MCP endpoint. Set explicitly, because the protocol's defaults are `destructive` and `open world`.
        annotations: {
          readOnlyHint: action.kind === 'ReadOnly',
          destructiveHint: action.destructive === true,
          openWorldHint: action.openWorld === true,
        },
      }),
    }),
  );
  return {
    'generated/mcp-tools.ts': lines(banner, `export const mcpTools = ${compactJson(tools).trim()} as const;`),
  };
};

/** Descriptions name actions as REST does (`posts.get`); agents know the tool names (`posts_get`). */
const toolNamesFor = (offered: readonly DeclaredAction[]) => {
  const names = offered.map(({ name }) => escapeRegExp(name)).join('|');
  const dotted = new RegExp(`\\b(?:${names})\\b`, 'g');
  const rename = (_key: string, value: unknown) =>
    typeof value === 'string' ? value.replace(dotted, toolName) : value;
  return <T>(tool: T): T => JSON.parse(JSON.stringify(tool, rename));
};
