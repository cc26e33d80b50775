# RudderStack's SDK: track() only queues; flush() waits for its thread, and what failed comes to on_error.
import rudderstack.analytics as rudder

from harness import credential, input, key, retries, tell, url


def send():
    failed = []
    rudder.write_key, rudder.dataPlaneUrl, rudder.timeout, rudder.gzip = credential, url, 10, False
    rudder.on_error = lambda error, items: failed.append(error)
    if retries is not None:
        rudder.max_retries = retries
    rudder.track("user-1", input.get("event_name", "purchase"), input, message_id=key)
    rudder.flush()
    rudder.shutdown()
    if failed:
        raise failed[0]


tell(send)
