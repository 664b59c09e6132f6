"""python-social-auth, with Django."""

import tempfile

import django
import requests
from django.conf import settings
from program import attempt, client_id, client_secret, issuer, scope, serve, to_logout_url

settings.configure(
    SECRET_KEY="test",
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": tempfile.mkdtemp() + "/db"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "social_django",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=issuer,
    SOCIAL_AUTH_OIDC_KEY=client_id,
    SOCIAL_AUTH_OIDC_SECRET=client_secret,
    SOCIAL_AUTH_OIDC_SCOPE=scope.split(),
    SOCIAL_AUTH_LOGIN_REDIRECT_URL="/done",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from social_core.actions import do_auth  # noqa: E402
from social_django.utils import load_strategy, psa  # noqa: E402


@psa("social:complete")
def login(request, backend):
    """Instead of a form that posts to the library's own view."""
    return do_auth(request.backend)


def done(request):
    strategy = load_strategy(request)
    account = request.user.social_auth.get()
    backend = account.get_backend_instance(strategy)
    id_token = account.extra_data["id_token"]

    def refresh():
        account.refresh_token(strategy)
        headers = {"Authorization": f"Bearer {account.access_token}"}
        return requests.get(backend.userinfo_url(), headers=headers, timeout=10).json()["sub"]

    return JsonResponse(
        {
            "login": account.uid,
            "userinfo": account.uid if request.user.email else "failed: no email",  # the ID token has none
            "refresh": attempt(refresh),
            "logout": to_logout_url(backend.oidc_config(), id_token),
        }
    )


def bye(_request):
    return HttpResponse("bye")


urlpatterns = [
    path("", include("social_django.urls")),
    path("login", login, {"backend": "oidc"}),
    path("done", done),
    path("bye", bye),
]

call_command("migrate", verbosity=0)
serve(get_wsgi_application())
