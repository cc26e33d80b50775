# Segment's SDK: track() only queues; shutdown() waits for its thread, and what failed comes to on_error. Answers with a
# Retry-After don't count as attempts: by itself it would go on for half an hour, so that limit is lowered to 20 s.
from segment.analytics import Client

from harness import credential, input, key, retries, tell, url


def send():
    failed = []
    client = Client(
        credential, host=url, timeout=10, gzip=False, max_rate_limit_duration=20,
        on_error=lambda error, items: failed.append(error), **({} if retries is None else {"max_retries": retries}),
    )
    client.track("user-1", input.get("event_name", "purchase"), input, message_id=key)
    client.shutdown()
    if failed:
        raise failed[0]


tell(send)
