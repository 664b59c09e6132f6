"""pyoidc (`oic`), with Flask for its pages."""

from flask import Flask, jsonify, redirect, request
from oic import rndstr
from oic.oauth2.message import ErrorResponse
from oic.oic import Client
from oic.oic.message import AuthorizationResponse, RegistrationResponse
from oic.utils.authn.client import CLIENT_AUTHN_METHOD
from program import attempt, client_id, client_secret, issuer, scope, serve, url

app = Flask(__name__)
client = Client(client_authn_method=CLIENT_AUTHN_METHOD)
client.provider_config(issuer)
client.store_registration_info(RegistrationResponse(client_id=client_id, client_secret=client_secret))
state, nonce = rndstr(), rndstr()


@app.get("/login")
def login():
    asked = {
        "client_id": client_id,
        "response_type": "code",
        "scope": scope.split(),
        "nonce": nonce,
        "redirect_uri": f"{url}/callback",
        "state": state,
    }
    return redirect(client.construct_AuthorizationRequest(request_args=asked).request(client.authorization_endpoint))


def good(answer):
    """The library returns errors."""
    if isinstance(answer, ErrorResponse):
        raise ValueError(answer.to_json())
    return answer


@app.get("/callback")
def callback():
    def exchange():
        code = client.parse_response(AuthorizationResponse, info=request.query_string.decode(), sformat="urlencoded")
        asked = {"code": code["code"], "redirect_uri": f"{url}/callback"}
        return good(
            client.do_access_token_request(state=state, request_args=asked, authn_method="client_secret_basic")
        )

    tokens = attempt(exchange)
    if isinstance(tokens, str):
        return jsonify(login=tokens)

    def refresh():
        good(client.do_access_token_refresh(state=state, authn_method="client_secret_basic"))
        return good(client.do_user_info_request(state=state))["sub"]

    asked = {"post_logout_redirect_uri": f"{url}/bye"}
    logout = client.construct_EndSessionRequest(state=state, request_args=asked)
    return jsonify(
        login=tokens["id_token"]["sub"],
        userinfo=attempt(lambda: good(client.do_user_info_request(state=state))["sub"]),
        refresh=attempt(refresh),
        logout=logout.request(client.end_session_endpoint),
    )


@app.get("/bye")
def bye():
    return "bye"


serve(app)
