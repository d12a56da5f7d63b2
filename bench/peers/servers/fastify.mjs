import { fastify } from 'fastify';
import { announce, pathOf } from '../../rest/servers/posts.mjs';
import { actions, admit, begin, run } from './promises.mjs';

const app = fastify();
app.decorateRequest('caller', null);
app.decorateRequest('promised', null);
app.addHook('onRequest', async (request, reply) => {
  request.promised = begin(request);
  reply.headers(request.promised.headers);
  const { caller, headers } = await admit(request.headers.authorization);
  request.caller = caller;
  reply.headers(headers);
});
app.addHook('onResponse', async (request, reply) => request.promised.done(reply.statusCode));
for (const name of Object.keys(actions)) {
  app.post(pathOf(name), (request) => run(name, request.caller, request.body));
}
app.setErrorHandler((error, _request, reply) => reply.code(error.status ?? 500).send({ message: error.message }));
await app.listen({ port: 0, host: '127.0.0.1' });
announce(app.server.address().port);
