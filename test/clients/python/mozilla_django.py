"""mozilla-django-oidc."""

import tempfile

import django
from django.conf import settings
from program import client_id, client_secret, discover, scope, serve, to_logout_url

metadata = discover()
settings.configure(
    SECRET_KEY="test",
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": tempfile.mkdtemp() + "/db"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    OIDC_RP_CLIENT_ID=client_id,
    OIDC_RP_CLIENT_SECRET=client_secret,
    OIDC_RP_SIGN_ALGO="RS256",
    OIDC_RP_SCOPES=scope,
    OIDC_OP_AUTHORIZATION_ENDPOINT=metadata["authorization_endpoint"],
    OIDC_OP_TOKEN_ENDPOINT=metadata["token_endpoint"],
    OIDC_OP_USER_ENDPOINT=metadata["userinfo_endpoint"],
    OIDC_OP_JWKS_ENDPOINT=metadata["jwks_uri"],
    OIDC_STORE_ID_TOKEN=True,
    OIDC_USERNAME_ALGO=lambda _email, claims: claims["sub"],
    LOGIN_REDIRECT_URL="/done",
    LOGIN_REDIRECT_URL_FAILURE="/failed",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402


def done(request):
    who = request.user.username  # of userinfo, which the library compares with the ID token
    logout = to_logout_url(metadata, request.session["oidc_id_token"])
    return JsonResponse({"login": who, "userinfo": who, "logout": logout})


def failed(_request):
    return JsonResponse({"login": "failed: the library says no more"})


def bye(_request):
    return HttpResponse("bye")


urlpatterns = [
    path("oidc/", include("mozilla_django_oidc.urls")),
    path("done", done),
    path("failed", failed),
    path("bye", bye),
]

call_command("migrate", verbosity=0)
serve(get_wsgi_application())
