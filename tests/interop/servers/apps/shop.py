"""A small shop that takes charges and refunds: what the idempotency packages for Python are mounted on. It knows no keys and
never looks for a repeat: whoever asks twice has bought twice, unless the package in front of it prevents that. What it did is
written into a file, so that it is still there after a restart; the keys are the package's own business.

    python on-NAME.py PORT FOLDER
    POST /charges, /refunds  {"amount": 100, ...}   201, the record with its id and a Location; 400 without a good amount
    GET  /charges?MEMBER=VALUE, /refunds?...        {"count", "items"} of what was really done

`Shop-Fails: before | after | crash | declined | busy` has it fail so: by 500 before or after the effect, by an exception after
it, by 402, or by 429. `Shop-Streams: yes` has it answer in two pieces."""
import json
import pathlib
import sys
import threading
import uuid

PORT, FOLDER = int(sys.argv[1]), pathlib.Path(sys.argv[2])
HOST = "127.0.0.1"
# So long does it work on something, in seconds: long enough for a repeat to find it at work.
WORKS = 0.1

FILE = FOLDER / "done.ndjson"
DONE = [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []
ONE_AT_A_TIME = threading.Lock()


def take(kind, raw, header):
    """Takes one charge or refund, after the caller has waited for WORKS. `header` reads a header of the request. Returns
    status, body and headers."""
    fails = header("shop-fails")
    try:
        body = json.loads(raw)
        amount = body["amount"]
    except (ValueError, KeyError, TypeError):
        amount = None
    if type(amount) is not int or amount <= 0:
        return 400, {"error": "amount is no positive number"}, {}
    if fails == "busy":
        return 429, {"error": "busy"}, {"Retry-After": "1"}
    if fails == "declined":
        return 402, {"error": "declined"}, {}
    if fails == "before":
        return 500, {"error": "failed before it was done"}, {}
    with ONE_AT_A_TIME:
        record = {**body, "id": f"{kind}-{uuid.uuid4()}", "number": len(DONE) + 1}
        DONE.append({"kind": kind, "record": record})
        with FILE.open("a") as file:
            file.write(json.dumps(DONE[-1]) + "\n")
    if fails == "after":
        return 500, {"error": "failed after it was done"}, {}
    if fails == "crash":
        raise RuntimeError("crashed after it was done")
    return 201, record, {"Location": f"/{kind}/{record['id']}", "X-Number": str(record["number"])}


def listed(kind, wanted):
    """What was done: the records of a kind whose members have these values."""
    fits = lambda record: all(str(record.get(name)) == value for name, value in wanted.items())
    items = [one["record"] for one in DONE if one["kind"] == kind and fits(one["record"])]
    return {"count": len(items), "items": items}
