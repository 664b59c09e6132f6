"""What the programs of this folder share. Each of them is a web application that its library logs people in to, as the README of the
library says, and whose last page says what came of it, step by step."""

import sys
from urllib.parse import urlencode
from wsgiref.simple_server import make_server

import requests

issuer, client_id, client_secret, port = sys.argv[1:]
url = f"http://localhost:{port}"
scope = "openid profile email offline_access"


def attempt(step):
    """Does one step, and returns what it says or what went wrong."""
    try:
        return step()
    except Exception as error:  # whatever it is, the table says it
        return f"failed: {error!r}"


def discover():
    """Returns a setting of the library that is read from the document that OpenID Connect has for it."""
    return requests.get(f"{issuer}/.well-known/openid-configuration", timeout=10).json()


def to_logout_url(metadata, id_token):
    """Makes the URL of a logout, which most libraries leave to the application."""
    after = {"id_token_hint": id_token, "post_logout_redirect_uri": f"{url}/bye"}
    return f"{metadata['end_session_endpoint']}?{urlencode(after)}"


def serve(application):
    """Serves the application, and says when it does."""
    server = make_server("localhost", int(port), application)
    print("ready", flush=True)
    server.serve_forever()
