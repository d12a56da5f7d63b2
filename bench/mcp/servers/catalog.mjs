// What every contender offers: the tools of the service, with posts_get at work.
import { importCompiled } from '../../compiled.mjs';

const { mcpTools } = await importCompiled('generated/mcp-tools.ts');

export const tools = mcpTools.filter(({ listing }) => listing === 'Listed').map(({ tool }) => tool);
