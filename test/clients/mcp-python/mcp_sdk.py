"""The SDK of MCP for Python: a server that asks for each token whether it is for it, and a client."""

from contextlib import asynccontextmanager

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from program import attempt, client_metadata_url, introspect, issuer, other, refuse, serve, server, url


class Verifier:
    def __init__(self, resource):
        self.resource = resource

    async def verify_token(self, token):
        known = await introspect(token, self.resource)
        if not known["active"]:
            return None
        audience = known["aud"] if isinstance(known["aud"], list) else [known["aud"]]
        return AccessToken(
            token=token,
            client_id=known["client_id"],
            scopes=known["scope"].split(),
            expires_at=known["exp"],
            resource=self.resource if self.resource in audience else None,
            subject=known["sub"],
        )


def create_server(resource):
    settings = AuthSettings(
        issuer_url=issuer, resource_server_url=resource, validate_token_resource=True
    )
    tools = MCPServer("tools", token_verifier=Verifier(resource), auth=settings)

    def whoami() -> str:
        return get_access_token().subject

    for name in ("whoami", "more"):
        tools.tool(name=name)(whoami)
    return tools.streamable_http_app(streamable_http_path=resource.removeprefix(url), stateless_http=True)


class Storage:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


def create_provider(browser, document):
    async def come_back():
        back = await browser.come_back()
        return AuthorizationCodeResult(code=back["code"], state=back["state"], iss=back["iss"])

    metadata = OAuthClientMetadata(client_name="Agent", redirect_uris=[f"{url}/callback"])
    return OAuthClientProvider(server, metadata, Storage(), browser.send, come_back, client_metadata_url=document)


async def call(provider, name):
    async with httpx2.AsyncClient(auth=provider, timeout=60) as http:
        async with Client(streamable_http_client(server, http_client=http)) as client:
            return (await client.call_tool(name)).content[0].text


async def run(browser):
    described, registered = (create_provider(browser, document) for document in (client_metadata_url, None))
    report = {
        "document": await attempt(call(described, "whoami")),
        "stepUp": await attempt(call(described, "more")),
    }
    # It refreshes by the time at which it thinks that the token has ended.
    described.context.token_expiry_time = 1
    before = described.context.current_tokens.access_token
    report["refresh"] = await attempt(call(described, "more"))
    if described.context.current_tokens.access_token == before:
        report["refresh"] = "failed: the token is the same"
    report["other"] = await attempt(refuse(described.context.current_tokens.access_token))
    report["registered"] = await attempt(call(registered, "whoami"))
    if described.context.client_info.client_id != client_metadata_url:
        report["document"] = "failed: it registered itself"
    return report


serve([create_server(server), create_server(other)], run)
