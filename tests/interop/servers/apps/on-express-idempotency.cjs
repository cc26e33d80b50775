// The shop on Express, with express-idempotency as its README says: mounted on every POST, all defaults, and a hit left
// alone by the handler. Errors are not reported to the package, which its README offers and does not demand.
const express = require('express');
const { idempotency, getSharedIdempotencyService } = require('express-idempotency');
const shop = require('./shop.cjs');

const app = express();
app.use(express.json());
app.post('*', idempotency());

for (const kind of ['charges', 'refunds']) {
  app.post(`/${kind}`, async (request, response, next) => {
    if (getSharedIdempotencyService().isHit(request)) return;
    try {
      const { status, body, headers } = await shop.take(kind, request.body, (name) => request.get(name));
      response.status(status).set(headers);
      if (!request.get('shop-streams')) return response.json(body);
      const text = JSON.stringify(body);
      response.type('json').write(text.slice(0, 10));
      response.end(text.slice(10));
    } catch (error) {
      next(error);
    }
  });
  app.get(`/${kind}`, (request, response) => response.json(shop.list(kind, request.query)));
}
app.listen(shop.port, shop.host);
