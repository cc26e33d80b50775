"""The shop behind django-idempotency-key, as its README says for "all non-safe view functions": all defaults, which are a
storage in memory and a lock of threads."""
import shop_django

shop_django.configure(["idempotency_key.middleware.IdempotencyKeyMiddleware"])
shop_django.serve()
