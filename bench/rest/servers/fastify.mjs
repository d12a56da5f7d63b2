import { fastify } from 'fastify';
import { actions, announce, callerOf, pathOf } from './posts.mjs';

const app = fastify();
app.decorateRequest('caller', null);
app.addHook('onRequest', async (request) => {
  request.caller = await callerOf(request.headers.authorization);
});
for (const [name, run] of Object.entries(actions)) {
  app.post(pathOf(name), (request) => run(request.caller, request.body));
}
app.setErrorHandler((error, _request, reply) => reply.code(error.status ?? 500).send({ message: error.message }));
await app.listen({ port: 0, host: '127.0.0.1' });
announce(app.server.address().port);
