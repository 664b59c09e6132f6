"""Authlib, with Flask."""

from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify
from program import attempt, client_id, client_secret, issuer, scope, serve, to_logout_url, url

app = Flask(__name__)
app.secret_key = "test"
oauth = OAuth(app)
gatehouse = oauth.register(
    name="gatehouse",
    client_id=client_id,
    client_secret=client_secret,
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": scope},
)


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

    return jsonify(
        login=token["userinfo"]["sub"],
        userinfo=attempt(lambda: gatehouse.userinfo(token=token)["sub"]),
        introspection=attempt(introspect),
        refresh=attempt(refresh),
        logout=to_logout_url(metadata, token["id_token"]),
    )


@app.get("/bye")
def bye():
    return "bye"


serve(app)
