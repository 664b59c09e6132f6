"""FastMCP: a server that verifies tokens by itself (RFC 9068), and a client, which opens a browser and waits at a port of its own."""

import asyncio
import warnings
import webbrowser

import httpx2
from fastmcp import Client, FastMCP
from fastmcp.client.auth import OAuth
from fastmcp.server.auth import RemoteAuthProvider
from fastmcp.server.auth.providers.jwt import JWTVerifier
from fastmcp.server.dependencies import get_access_token
from program import attempt, client_metadata_url, issuer, other, refuse, serve, server, url

warnings.filterwarnings("ignore", message="Using in-memory token storage")


def create_server(resource):
    verifier = JWTVerifier(
        jwks_uri=f"{issuer}/oauth/v2/keys", issuer=issuer, audience=resource, required_scopes=["tools"], base_url=url
    )
    tools = FastMCP("tools", auth=RemoteAuthProvider(verifier, authorization_servers=[issuer], base_url=url))

    def whoami() -> str:
        return get_access_token().claims["sub"]

    for name in ("whoami", "more"):
        tools.tool(whoami, name=name)
    return tools.http_app(path=resource.removeprefix(url), stateless_http=True)


async def call(auth, browser, name):
    loop = asyncio.get_running_loop()

    async def visit(location):
        await browser.send(location)
        back = await browser.come_back()
        async with httpx2.AsyncClient() as person:
            await person.get(f"http://localhost:{auth.redirect_port}/callback", params=back)

    webbrowser.open = lambda location: loop.create_task(visit(location))  # as the browser of a person does
    async with Client(server, auth=auth) as client:
        return (await client.call_tool(name)).data


async def run(browser):
    described, registered = (OAuth(server, client_metadata_url=document) for document in (client_metadata_url, None))
    report = {
        "document": await attempt(call(described, browser, "whoami")),
        "stepUp": await attempt(call(described, browser, "more")),
    }
    described.context.token_expiry_time = 1
    before = described.context.current_tokens.access_token
    report["refresh"] = await attempt(call(described, browser, "more"))
    if described.context.current_tokens.access_token == before:
        report["refresh"] = "failed: the token is the same"
    report["other"] = await attempt(refuse(described.context.current_tokens.access_token))
    report["registered"] = await attempt(call(registered, browser, "whoami"))
    if described.context.client_info.client_id != client_metadata_url:
        report["document"] = "failed: it registered itself"
    return report


serve([create_server(server), create_server(other)], run)
