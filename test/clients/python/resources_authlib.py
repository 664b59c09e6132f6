"""Authlib, which asks for tokens for APIs by their resources."""

import base64
import json

from authlib.integrations.flask_client import OAuth
from authlib.integrations.base_client import OAuthError
from flask import Flask, jsonify
from program import attempt, client_id, client_secret, issuer, serve, url

orders, prices = "urn:example:orders", "urn:example:prices"
app = Flask(__name__)
app.secret_key = "test"
oauth = OAuth(app)
gatehouse = oauth.register(
    name="gatehouse",
    client_id=client_id,
    client_secret=client_secret,
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs={
        "scope": "openid offline_access orders.read prices.read prices.write",
        "code_challenge_method": "S256",
    },
)


def body_of(*resources):
    """Writes what a dictionary of parameters cannot hold: one name with several values."""
    return "&".join(f"resource={resource}" for resource in resources)


def audience_of(token, resource, scope=None):
    """Returns whose the access token is, or what is wrong with its audience or its scope."""
    part = token["access_token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    if claims["aud"] not in (resource, [resource]):
        return f"failed: the audience is {claims['aud']}"
    return claims["sub"] if scope in (None, claims["scope"]) else f"failed: the scope is {claims['scope']}"


@app.get("/login")
def login():
    answer = gatehouse.authorize_redirect(f"{url}/callback")
    answer.location += "&" + body_of(orders, prices)
    return answer


@app.get("/callback")
def callback():
    # It sends each name once in requests for tokens, so none of these can name two resources.
    try:
        token = gatehouse.authorize_access_token(body=body_of(orders))
        one = audience_of(token, orders)
    except Exception as error:
        return jsonify(one=f"failed: {error!r}")
    metadata = gatehouse.load_server_metadata()
    session = gatehouse._get_oauth_client(**metadata)
    session.token = token

    def refresh(resource, scope=None):
        more = {} if scope is None else {"scope": scope}
        current = session.token["refresh_token"]
        fresh = session.refresh_token(metadata["token_endpoint"], current, body=body_of(resource), **more)
        return audience_of(fresh, resource, scope=scope)

    def refuse():
        try:
            refresh("urn:example:unknown")
        except OAuthError as error:
            return one if error.error == "invalid_target" else f"failed: refused with {error.error}"
        return "failed: it was not refused"

    return jsonify(
        one=one,
        narrow=attempt(lambda: refresh(prices, "prices.read")),
        target=attempt(refuse),
    )


serve(app)
