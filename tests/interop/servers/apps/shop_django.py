"""The shop on Django in one file, for the packages that are Django middleware: `configure`, then `serve`, by waitress, because
Django's own server is for development. 32 requests are served at a time, each by a thread."""
import json
import time

import waitress

import shop

urlpatterns = []


def configure(middleware, apps=(), **settings):
    import django
    from django.conf import settings as known
    from django.core.management import call_command
    from django.db.backends.sqlite3.base import DatabaseWrapper

    store = {"ENGINE": "django.db.backends.sqlite3", "NAME": shop.FOLDER / "keys.sqlite3", "OPTIONS": {"timeout": 20}}
    known.configure(
        SECRET_KEY="a demonstration",
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF="shop_django",
        MIDDLEWARE=middleware,
        USE_TZ=True,
        INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", *apps],
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        DATABASES={"default": store},
        **settings,
    )
    # As `"transaction_mode": "IMMEDIATE"` of a later Django: a transaction waits for its turn when it begins. Otherwise one that
    # first reads and then writes beside another fails with "database is locked", which says nothing of the package.
    DatabaseWrapper._start_transaction_under_autocommit = lambda self: self.cursor().execute("BEGIN IMMEDIATE")
    django.setup()
    if apps:
        call_command("migrate", verbosity=0)


def take(request):
    """Takes one, and tells status, body and headers."""
    time.sleep(shop.WORKS)
    return shop.take(request.path.strip("/"), request.body, request.headers.get)


def plain(request):
    """The view of a package that needs none of its own."""
    from django.http import HttpResponse, StreamingHttpResponse

    status, body, headers = take(request)
    text = json.dumps(body).encode()
    if "shop-streams" in request.headers:
        return StreamingHttpResponse([text[:10], text[10:]], status=status, content_type="application/json", headers=headers)
    return HttpResponse(text, status=status, content_type="application/json", headers=headers)


def serve(view=plain):
    from django.core.wsgi import get_wsgi_application
    from django.http import JsonResponse
    from django.urls import path

    def desk(request):
        if request.method == "GET":
            return JsonResponse(shop.listed(request.path.strip("/"), request.GET.dict()))
        return view(request)

    urlpatterns.extend(path(name, desk) for name in ("charges", "refunds"))

    waitress.serve(get_wsgi_application(), host=shop.HOST, port=shop.PORT, threads=32, ident=None)
