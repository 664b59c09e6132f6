"""A web application that Authlib logs people in to, as its README says."""

import sys
from urllib.parse import urlencode

from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify
from werkzeug.serving import make_server

issuer, client_id, client_secret, port = sys.argv[1:]
url = f"http://localhost:{port}"

app = Flask(__name__)
app.secret_key = "test"
oauth = OAuth(app)
gatehouse = oauth.register(
    name="gatehouse",
    client_id=client_id,
    client_secret=client_secret,
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email offline_access"},
)


def attempt(step):
    """Does one step, and returns what it says or what went wrong."""
    try:
        return step()
    except Exception as error:  # whatever it is, the table says it
        return f"failed: {error}"


@app.get("/login")
def login():
    return gatehouse.authorize_redirect(f"{url}/callback")


@app.get("/callback")
def callback():
    try:
        token = gatehouse.authorize_access_token()
    except Exception as error:
        return jsonify(login=f"failed: {error}")
    metadata = gatehouse.load_server_metadata()
    session = gatehouse._get_oauth_client(**metadata)
    session.token = token

    def refresh():
        fresh = session.refresh_token(metadata["token_endpoint"], token["refresh_token"])
        return gatehouse.userinfo(token=fresh)["sub"]

    def introspect():
        answer = session.introspect_token(metadata["introspection_endpoint"], token["access_token"])
        return answer.json()["sub"]

    after = {"id_token_hint": token["id_token"], "post_logout_redirect_uri": f"{url}/bye"}
    return jsonify(
        login=token["userinfo"]["sub"],
        userinfo=attempt(lambda: gatehouse.userinfo(token=token)["sub"]),
        introspection=attempt(introspect),
        refresh=attempt(refresh),
        logout=f"{metadata['end_session_endpoint']}?{urlencode(after)}",
    )


@app.get("/bye")
def bye():
    return "bye"


if __name__ == "__main__":
    server = make_server("localhost", int(port), app)
    print("ready", flush=True)
    server.serve_forever()
