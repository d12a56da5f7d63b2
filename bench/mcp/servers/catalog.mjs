// What every contender serves: the tool list of the service, and a working posts_get.
import { importCompiled } from '../../compiled.mjs';

const { mcpTools } = await importCompiled('generated/mcp-tools.ts');

export const tools = mcpTools.filter(({ listing }) => listing === 'Listed').map(({ tool }) => tool);
