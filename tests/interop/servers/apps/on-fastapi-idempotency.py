"""The shop behind fastapi-idempotency, as its README says: all defaults, which is a store in memory."""
from fastapi_idempotency import IdempotencyMiddleware

import shop_asgi

shop_asgi.app.add_middleware(IdempotencyMiddleware)
shop_asgi.serve(shop_asgi.app)
