# Svix's SDK: makes an idempotency-key for each POST that has none, and keeps it over its retries.
from svix.api import MessageCreateOptions, MessageIn, Svix, SvixOptions

from harness import credential, input, key, tell, url

svix = Svix(credential, SvixOptions(server_url=url, timeout=10.0))
message = MessageIn(event_type=input.get("event_name", "purchase"), payload=input)

tell(lambda: svix.message.create("app_1", message, MessageCreateOptions(idempotency_key=key)))
