// The shop on NestJS, with @node-idempotency/nestjs as its README says: its module for the root, and @Idempotent() on what
// takes something. Plain CommonJS, so the decorators are called by hand; nothing is changed in what they do.
require('reflect-metadata');
const { Controller, Get, HttpException, Module, Post, Req, Res } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { Idempotent, NodeIdempotencyModule } = require('@node-idempotency/nestjs');
const shop = require('./shop.cjs');

class Desk {
  async take(request, response) {
    const kind = request.path.slice(1);
    const { status, body, headers } = await shop.take(kind, request.body, (name) => request.get(name));
    response.set(headers);
    if (status >= 400) throw new HttpException(body, status);
    return body;
  }
  list(request) {
    return shop.list(request.path.slice(1), request.query);
  }
}

function decorated(name, decorators) {
  const made = Reflect.decorate(decorators, Desk.prototype, name, Object.getOwnPropertyDescriptor(Desk.prototype, name));
  Object.defineProperty(Desk.prototype, name, made);
}
Req()(Desk.prototype, 'take', 0);
Res({ passthrough: true })(Desk.prototype, 'take', 1);
Req()(Desk.prototype, 'list', 0);
decorated('take', [Post(['charges', 'refunds']), Idempotent()]);
decorated('list', [Get(['charges', 'refunds'])]);
Reflect.decorate([Controller()], Desk);

class Shop {}
const keys = NodeIdempotencyModule.forRootAsync({ storage: { adapter: 'memory' } });
Reflect.decorate([Module({ imports: [keys], controllers: [Desk] })], Shop);

NestFactory.create(Shop, { logger: ['error'] }).then((app) => app.listen(shop.port, shop.host));
