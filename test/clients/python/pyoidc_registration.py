"""pyoidc (`oic`), which registers itself."""

from flask import Flask, jsonify, redirect, request
from oic import rndstr
from oic.exception import RegistrationError
from oic.oauth2.message import ErrorResponse
from oic.oic import Client
from oic.oic.message import AuthorizationResponse
from oic.utils.authn.client import CLIENT_AUTHN_METHOD
from program import attempt, issuer, scope, serve, url

app = Flask(__name__)
metadata = {"client_name": "Agent", "grant_types": ["authorization_code", "refresh_token"]}
state, nonce = rndstr(), rndstr()


def register(redirect_uri):
    client = Client(client_authn_method=CLIENT_AUTHN_METHOD, config={"code_challenge": {"method": "S256", "length": 64}})
    provider = client.provider_config(issuer)
    client.register(provider["registration_endpoint"], redirect_uris=[redirect_uri], application_type="native", **metadata)
    return client


def good(answer):
    """The library returns errors."""
    if isinstance(answer, ErrorResponse):
        raise ValueError(answer.to_json())
    return answer


client = register(f"{url}/callback")
challenge, verifier = client.add_code_challenge()


@app.get("/login")
def login():
    asked = {
        "client_id": client.client_id,
        "response_type": "code",
        "scope": scope.split(),
        "nonce": nonce,
        "redirect_uri": f"{url}/callback",
        "state": state,
        "prompt": "consent",
        **challenge,
    }
    return redirect(client.construct_AuthorizationRequest(request_args=asked).request(client.authorization_endpoint))


@app.get("/callback")
def callback():
    def exchange():
        code = client.parse_response(AuthorizationResponse, info=request.query_string.decode(), sformat="urlencoded")
        asked = {"code": code["code"], "redirect_uri": f"{url}/callback", "code_verifier": verifier}
        return good(client.do_access_token_request(state=state, request_args=asked))

    tokens = attempt(exchange)
    if isinstance(tokens, str):
        return jsonify(login=tokens)
    user = tokens["id_token"]["sub"]

    def refresh():
        good(client.do_access_token_refresh(state=state, authn_method="client_secret_basic"))
        return good(client.do_user_info_request(state=state))["sub"]

    def refuse():
        try:
            register("http://agent.example/callback")
        except RegistrationError as error:
            return user if "invalid_redirect_uri" in str(error) else f"failed: refused with {error}"
        return "failed: it was not refused"

    return jsonify(
        login=user,
        userinfo=attempt(lambda: good(client.do_user_info_request(state=state))["sub"]),
        refresh=attempt(refresh),
        redirect=attempt(refuse),
    )


serve(app)
