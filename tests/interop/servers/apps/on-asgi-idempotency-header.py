"""The shop behind asgi-idempotency-header, as its README says: all defaults, its backend in memory."""
from idempotency_header_middleware import IdempotencyHeaderMiddleware
from idempotency_header_middleware.backends import MemoryBackend

import shop_asgi

shop_asgi.app.add_middleware(IdempotencyHeaderMiddleware, backend=MemoryBackend())
shop_asgi.serve(shop_asgi.app)
