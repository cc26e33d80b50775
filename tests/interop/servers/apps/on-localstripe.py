"""The shop on localstripe, a stand-in for Stripe that knows no keys: what a server without idempotency looks like. Its own
program, with two ways in that have the form of the shop's: a charge is a charge there, of one customer with one card, and a
refund is the refund of a charge made for it. Nothing is added that could tell a repeat."""
import json
import pathlib
import pickle
import sys

from aiohttp import web
from localstripe.errors import UserError
from localstripe.resources import Charge, Customer, Refund, Store, store
from localstripe.server import app

PORT, FILE = int(sys.argv[1]), pathlib.Path(sys.argv[2]) / "localstripe.pickle"
KINDS = {"charges": Charge, "refunds": Refund}
CARD = {"object": "card", "number": "4242424242424242", "exp_month": "12", "exp_year": "2040", "cvc": "123"}

# It keeps its store in a file in /tmp, which is one for all: here each has its own.
Store.dump_to_disk = lambda self: FILE.write_bytes(pickle.dumps(dict(self)))
if FILE.exists():
    dict.update(store, pickle.loads(FILE.read_bytes()))


def customer():
    known = [name.split(":", 1)[1] for name in store if name.startswith("customer:")]
    return known[0] if known else Customer._api_create(source=CARD).id


def shown(one):
    return {**one.metadata, "id": one.id, "amount": one.amount}


async def take(request):
    try:
        body = json.loads(await request.text())
        amount = body["amount"]
    except (ValueError, KeyError, TypeError):
        raise UserError(400, "Bad request") from None
    if type(amount) is not int or amount <= 0:
        raise UserError(400, "Bad request")
    made = Charge._api_create(amount=amount, currency="eur", customer=customer(), metadata=body)
    if request.path == "/refunds":
        made = Refund._api_create(charge=made.id, amount=amount, metadata=body)
    return web.json_response(shown(made), status=201)


async def listed(request):
    kind = KINDS[request.path.strip("/")].object
    every = [shown(one) for name, one in store.items() if name.startswith(f"{kind}:")]
    fits = lambda one: all(str(one.get(name)) == value for name, value in request.query.items())
    items = [one for one in every if fits(one)]
    return web.json_response({"count": len(items), "items": items})


for path in ("/charges", "/refunds"):
    app.router.add_post(path, take)
    app.router.add_get(path, listed)
web.run_app(app, host="127.0.0.1", port=PORT, print=None)
