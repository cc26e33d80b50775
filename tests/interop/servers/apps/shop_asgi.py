"""The shop on Starlette, for the packages that are ASGI middleware: `app` is to be wrapped, `serve` serves it."""
import asyncio
import json

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

import shop


def kind(request):
    return request.url.path.strip("/")


async def take(request):
    await asyncio.sleep(shop.WORKS)
    status, body, headers = shop.take(kind(request), await request.body(), request.headers.get)
    if "shop-streams" not in request.headers:
        return JSONResponse(body, status, headers)
    text = json.dumps(body).encode()

    async def pieces():
        yield text[:10]
        await asyncio.sleep(0.005)
        yield text[10:]

    return StreamingResponse(pieces(), status, headers, "application/json")


async def listed(request):
    return JSONResponse(shop.listed(kind(request), request.query_params))


PATHS = ("/charges", "/refunds")
app = Starlette(
    routes=[Route(path, take, methods=["POST"]) for path in PATHS] + [Route(path, listed, methods=["GET"]) for path in PATHS]
)


def serve(served):
    uvicorn.run(served, host=shop.HOST, port=shop.PORT, log_level="warning")
