// The shop on Fastify, with @node-idempotency/core as its README says: onRequest before the handler, onResponse with what
// it answered. The package brings no wiring for Fastify; which status its errors become, and the marker of a replay, are ours.
const fastify = require('fastify')();
const { Idempotency } = require('@node-idempotency/core');
const { MemoryStorageAdapter } = require('@node-idempotency/storage-adapter-memory');
const shop = require('./shop.cjs');

const idempotency = new Idempotency(new MemoryStorageAdapter());
const STATUS = { REQUEST_IN_PROGRESS: 409, IDEMPOTENCY_FINGERPRINT_MISSMATCH: 422 }; // spelled so; every other is 400
const asked = ({ method, headers, url, body }) => ({ method, headers, path: url, body });

fastify.addHook('preHandler', async (request, reply) => {
  if (request.method !== 'POST') return;
  try {
    const known = await idempotency.onRequest(asked(request));
    if (!known) {
      request.taken = true;
      return;
    }
    return reply.code(known.additional.status).header('idempotency-replayed', 'true').type('application/json').send(known.body);
  } catch (error) {
    return reply.code(STATUS[error.code] ?? 400).send({ code: error.code, message: error.message });
  }
});
fastify.addHook('onSend', async (request, reply, body) => {
  // Only of what was let through: a body that breaks off is answered before it is known what was asked.
  if (request.taken) {
    await idempotency.onResponse(asked(request), { body, additional: { status: reply.statusCode } });
  }
});

for (const kind of ['charges', 'refunds']) {
  fastify.post(`/${kind}`, async (request, reply) => {
    const { status, body, headers } = await shop.take(kind, request.body, (name) => request.headers[name]);
    return reply.code(status).headers(headers).send(body);
  });
  fastify.get(`/${kind}`, async (request) => shop.list(kind, request.query));
}
fastify.listen({ port: shop.port, host: shop.host });
