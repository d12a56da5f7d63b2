import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Service } from './service.ts';

/** A real MCP client with a personal token. `ask` answers with the path of the card. */
export const connectAgent = async ({ url, token }: Pick<Service, 'url' | 'token'>, name: string) => {
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  return {
    client,
    ask: async (tool: string, input: Record<string, unknown>) => {
      const answer = JSON.stringify(await client.callTool({ name: tool, arguments: input }));
      const [address] = /https?:[^"\\\s]+\/approvals\/card_\w+/.exec(answer) ?? [];
      if (address === undefined) throw new Error(`no card was made: ${answer}`);
      return new URL(address).pathname;
    },
  };
};
