# The retry sample for Python in Scanova's documentation ("Idempotency & Retries"), as a program of its own. Its slips are kept:
# a 429 is raised at once like any 4xx, Retry-After is never looked at, and after five 5xx it sleeps once more and returns None.
import time
import uuid

import requests

from harness import credential, input, tell, url


def send_with_retry(event_payload: dict, max_attempts: int = 5) -> None:
    # one id for all the attempts
    payload = {**event_payload, "event_id": event_payload.get("event_id") or str(uuid.uuid4())}
    delay = 1.0

    for attempt in range(1, max_attempts + 1):
        try:
            response = requests.post(
                url + "/server-events",
                headers={"Content-Type": "application/json", "X-API-Key": credential},
                json=payload,
                timeout=10,
            )
            if 400 <= response.status_code < 500:
                raise ValueError(f"Permanent error {response.status_code}: {response.text}")
            if response.ok:
                return
        except ValueError:
            raise
        except Exception:
            if attempt == max_attempts:
                raise
        time.sleep(delay)
        delay = min(delay * 2, 30)


tell(lambda: send_with_retry(input))
