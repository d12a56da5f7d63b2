import type { McpListing } from '#contracts/define';
import type { Scope } from '#contracts/scopes';
import { type Declared, toolName } from './contracts.ts';
import { inputJsonSchema } from './json-schema.ts';
import { banner, lines } from './text.ts';

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

/** generated/mcp-tools.ts: the tools of the agent door, ready to be sent. */
export const emitMcpTools = (declared: readonly Declared[]) => {
  const tools = declared
    .filter(({ action }) => action.mcp !== 'Never')
    .map(
      ({ name, action }): McpTool => ({
        action: name,
        scope: action.scope,
        listing: action.mcp,
        tool: {
          name: toolName(name),
          title: action.summary,
          description: action.description,
          inputSchema: inputJsonSchema(action.input),
          // SPEC, MCP endpoint. The protocol assumes destructive and open world where nothing is said, so all is said.
          annotations: {
            readOnlyHint: action.kind === 'ReadOnly',
            destructiveHint: action.destructive === true,
            openWorldHint: action.openWorld === true,
          },
        },
      }),
    );
  return {
    'generated/mcp-tools.ts': lines(banner, `export const mcpTools = ${JSON.stringify(tools, null, 2)} as const;`),
  };
};
