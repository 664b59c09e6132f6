"""python-jose, which verifies tokens with the key set as it comes; what it leaves out is done by Requests, with Flask for the pages."""

import requests
from flask import Flask, jsonify, redirect, request
from jose import jwt
from program import attempt, client_id, client_secret, discover, issuer, scope, serve, to_logout_url, url
from requests.models import PreparedRequest

app = Flask(__name__)
metadata = discover()
keys = requests.get(metadata["jwks_uri"], timeout=10).json()
redirect_uri = f"{url}/callback"


@app.get("/login")
def login():
    asked = {"client_id": client_id, "response_type": "code", "scope": scope, "redirect_uri": redirect_uri}
    authorize = PreparedRequest()
    authorize.prepare_url(metadata["authorization_endpoint"], asked)
    return redirect(authorize.url)


@app.get("/callback")
def callback():
    form = {"grant_type": "authorization_code", "code": request.args["code"], "redirect_uri": redirect_uri}
    tokens = requests.post(metadata["token_endpoint"], form, auth=(client_id, client_secret), timeout=10).json()
    access_token, id_token = tokens["access_token"], tokens["id_token"]

    def verify(token, key, **more):
        return jwt.decode(token, key, algorithms=["RS256"], audience=client_id, issuer=issuer, **more)["sub"]

    def verify_with_the_first():
        verify(access_token, keys["keys"][0])
        return verify(access_token, keys)

    return jsonify(
        login=attempt(lambda: verify(id_token, keys, access_token=access_token)),
        jwt=attempt(verify_with_the_first),
        logout=to_logout_url(metadata, id_token),
    )


@app.get("/bye")
def bye():
    return "bye"


serve(app)
