"""The shop behind idemkit, as its README says for HTTP: all defaults, its backend in memory, and one tenant."""
from idemkit import IdempotencyMiddleware, InMemoryBackend

import shop_asgi

shop_asgi.app.add_middleware(IdempotencyMiddleware, backend=InMemoryBackend())
shop_asgi.serve(shop_asgi.app)
