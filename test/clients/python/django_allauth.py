"""django-allauth, with the settings that our documentation has for it."""

import tempfile

import django
from django.conf import settings
from program import client_id, client_secret, issuer, serve

settings.configure(
    SECRET_KEY="test",
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": tempfile.mkdtemp() + "/db"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "allauth",
        "allauth.account",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.openid_connect",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    ACCOUNT_EMAIL_VERIFICATION="none",
    SOCIALACCOUNT_LOGIN_ON_GET=True,
    SOCIALACCOUNT_STORE_TOKENS=True,
    LOGIN_REDIRECT_URL="/done",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    SOCIALACCOUNT_PROVIDERS={
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": "gatehouse",
                    "name": "Gatehouse",
                    "client_id": client_id,
                    "secret": client_secret,
                    "settings": {"server_url": issuer},
                }
            ],
        }
    },
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402


def done(request):
    from allauth.socialaccount.models import SocialAccount

    account = SocialAccount.objects.get(user=request.user)
    told = account.extra_data.get("userinfo") or {}
    return JsonResponse({"login": account.uid, "userinfo": told.get("sub") or "failed: it told nothing"})


def bye(_request):
    return HttpResponse("bye")


urlpatterns = [path("accounts/", include("allauth.urls")), path("done", done), path("bye", bye)]

call_command("migrate", verbosity=0)
serve(get_wsgi_application())
