"""What the harness gives a client under test, and how such a client tells how it ended."""
import json
import os
import sys
import uuid

os.environ["NO_PROXY"] = "*"  # the harness is on this machine

url = os.environ["ONCEPROOF_URL"]
input = json.loads(os.environ.get("ONCEPROOF_INPUT") or "{}")
key = os.environ.get("ONCEPROOF_KEY")  # only where the caller gave one
credential = os.environ.get("ONCEPROOF_CREDENTIAL", "k")
retries = int(os.environ["RETRIES"]) if os.environ.get("RETRIES") else None  # None: the SDK's default

# For the plain HTTP libraries, which speak the contract itself: the event with an id that is made once, and its headers.
event = {**input, "event_id": input.get("event_id") or str(uuid.uuid4())}
headers = {"Content-Type": "application/json", "X-API-Key": credential}


def tell(send):
    """Returned is success, raised is failure."""
    outcome = "success"
    try:
        send()
    except Exception as error:
        print(repr(error)[:500], file=sys.stderr)
        outcome = "failure"
    print(json.dumps({"outcome": outcome}), flush=True)
    os._exit(0 if outcome == "success" else 1)  # at once: some SDKs join their threads at exit
