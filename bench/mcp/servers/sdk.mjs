// The same catalog on the official SDK, as its guide shows it (McpServer) or with its quicker lower layer (Server).
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer, Server } from '@modelcontextprotocol/server';
import express from 'express';
import { actions, announce, callerOf } from '../../rest/servers/posts.mjs';
import { tools } from './catalog.mjs';

const info = { name: 'bench', version: '1.0.0' };

const runTool = async (name, input, { http }) => {
  if (name !== 'posts_get') throw new Error(`${name} is not part of the measurement`);
  const structuredContent = await actions['posts.get'](http.authInfo.extra.caller, input);
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
};

const withSchemas = tools.map(({ name, inputSchema, ...config }) => ({
  name,
  config: { ...config, inputSchema: fromJsonSchema(inputSchema) },
}));

const forms = {
  McpServer: () => {
    const server = new McpServer(info);
    for (const { name, config } of withSchemas) {
      server.registerTool(name, config, (input, context) => runTool(name, input, context));
    }
    return server;
  },
  Server: () => {
    const server = new Server(info, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools }));
    server.setRequestHandler('tools/call', ({ params }, context) => runTool(params.name, params.arguments, context));
    return server;
  },
};

const handle = toNodeHandler(createMcpHandler(forms[process.env.SDK_FORM]));
const app = express();
app.use(express.json());
app.use(async (req, _res, next) => {
  const caller = await callerOf(req.get('authorization'));
  req.auth = { token: '', clientId: 'bench', scopes: [], extra: { caller } };
  next();
});
app.post('/mcp', (req, res) => handle(req, res, req.body));
const server = app.listen(0, '127.0.0.1', () => announce(server.address().port));
