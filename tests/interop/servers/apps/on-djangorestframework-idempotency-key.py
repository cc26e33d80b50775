"""The shop behind djangorestframework-idempotency-key: its middleware, its app with the table of keys (SQLite), and its
decorator on the view's method."""
import shop_django

PACKAGE = "rest_framework_idempotency_key"
shop_django.configure([f"{PACKAGE}.middleware.IdempotencyKeyMiddleware"], apps=["rest_framework", PACKAGE])

from rest_framework.response import Response  # settings first
from rest_framework.views import APIView
from rest_framework_idempotency_key.decorators import simple_idempotency_key_method


class Desk(APIView):
    authentication_classes = permission_classes = ()

    @simple_idempotency_key_method
    def post(self, request):
        status, body, headers = shop_django.take(request._request)
        return Response(body, status=status, headers=headers)


shop_django.serve(Desk.as_view())
