// NestJS on Express with a middleware, a guard and a controller. Decorators are called by hand: plain JavaScript has none yet.
import 'reflect-metadata';
import { Body, Catch, Controller, HttpCode, Module, Post, Req, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { announce, Refused } from '../../rest/servers/posts.mjs';
import { admit, begin, run } from './promises.mjs';

class TokenGuard {
  async canActivate(context) {
    const request = context.switchToHttp().getRequest();
    const { caller, headers } = await admit(request.headers.authorization);
    request.caller = caller;
    request.res.set(headers);
    return true;
  }
}

class PostsController {
  get(request, body) {
    return run('posts.get', request.caller, body);
  }

  list(request, body) {
    return run('posts.list', request.caller, body);
  }

  create(request, body) {
    return run('posts.create', request.caller, body);
  }
}

for (const method of ['get', 'list', 'create']) {
  const { prototype } = PostsController;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, method);
  for (const decorate of [Post(`posts.${method}`), HttpCode(200)]) decorate(prototype, method, descriptor);
  for (const [place, decorate] of [Req(), Body()].entries()) decorate(prototype, method, place);
}
UseGuards(TokenGuard)(PostsController);
Controller('api/agent/tools')(PostsController);

class RefusedFilter {
  catch(error, host) {
    host.switchToHttp().getResponse().status(error.status).json({ message: error.message });
  }
}
Catch(Refused)(RefusedFilter);

class AppModule {}
Module({ controllers: [PostsController] })(AppModule);

const app = await NestFactory.create(AppModule, { logger: ['error'] });
app.use((req, res, next) => {
  const { headers, done } = begin(req);
  res.set(headers);
  res.once('close', () => done(res.statusCode));
  next();
});
app.useGlobalFilters(new RefusedFilter());
await app.listen(0, '127.0.0.1');
announce(app.getHttpServer().address().port);
