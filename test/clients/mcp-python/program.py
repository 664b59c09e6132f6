"""What the programs of this folder share. Each of them is an MCP server at `/mcp`, another one at `/other`, and a client that knows
nothing but their URLs: `/login` begins, and the page at the end says what came of it, step by step."""

import asyncio
import base64
import json
import socket
import sys
import traceback
from contextlib import AsyncExitStack, asynccontextmanager

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

issuer, client_metadata_url, credentials, port = sys.argv[1:]
url = f"http://localhost:{port}"
server, other = f"{url}/mcp", f"{url}/other"


async def introspect(token, resource):
    """Asks the authorization server what a token is good for at an API (RFC 7662)."""
    async with httpx2.AsyncClient() as client:
        name, secret = json.loads(credentials)[resource].split(":")
        answer = await client.post(f"{issuer}/oauth/v2/introspect", data={"token": token}, auth=(name, secret))
        return answer.json()


async def attempt(step):
    """Does one step, and returns what it says or what went wrong."""
    try:
        return await asyncio.wait_for(step, 20)
    except BaseException as error:  # whatever it is, the table says it
        return f"failed: {''.join(traceback.format_exception(error))[-2000:]}"


async def refuse(token):
    """Sends a token to the other server, and returns whose it is if it is refused there."""
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient() as client:
        answer = await client.post(other, json=ping, headers=headers)
    if answer.status_code != 401:
        return f"failed: {answer.status_code}"
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))["sub"]


class AsksForMore:
    """Refuses calls of the tool `more` by tokens without the scope `more`, which no setting of the servers does (RFC 6750 §3.1)."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        body, messages = b"", []
        while scope["type"] == "http" and scope["method"] == "POST":
            messages.append(await receive())
            body += messages[-1].get("body", b"")
            if not messages[-1].get("more_body"):
                break
        token = dict(scope.get("headers", [])).get(b"authorization", b"").decode().removeprefix("Bearer ")
        said = json.loads(body) if body.startswith(b"{") else {}
        if said.get("method") == "tools/call" and said["params"]["name"] == "more":
            known = await introspect(token, server)
            if known["active"] and "more" not in known["scope"].split():
                challenge = 'Bearer error="insufficient_scope", scope="tools more"'
                return await JSONResponse({}, 403, {"www-authenticate": challenge})(scope, receive, send)

        async def again():
            return messages.pop(0) if messages else await receive()

        await self.app(scope, again, send)


class Browser:
    """Sends the browser of a person away, and waits until it comes back."""

    def __init__(self):
        self.page = self.back = None

    async def send(self, location):
        self.back = asyncio.get_running_loop().create_future()
        self.page.set_result(RedirectResponse(location, 303))

    async def come_back(self):
        return dict((await self.back).query_params)


def serve(servers, run):
    """Serves the program, and says when it does. `servers` are the two, and `run` gets a browser."""
    browser = Browser()

    def open_page():
        browser.page = asyncio.get_running_loop().create_future()
        return browser.page

    async def login(_request):
        async def report():
            said = await run(browser)
            browser.page.set_result(JSONResponse(said))

        page = open_page()
        browser.running = asyncio.create_task(report())
        return await page

    async def callback(request):
        page = open_page()
        browser.back.set_result(request)
        return await page

    @asynccontextmanager
    async def lifespan(_app):
        async with AsyncExitStack() as stack:
            for each in servers:
                await stack.enter_async_context(each.router.lifespan_context(each))
            yield

    pages = Starlette(routes=[Route("/login", login), Route("/callback", callback)], lifespan=lifespan)
    protected, elsewhere = (AsksForMore(each) for each in servers)

    async def dispatch(scope, receive, send):
        path = scope.get("path", "/login")
        app = pages if path in ("/login", "/callback") else elsewhere if path.endswith("/other") else protected
        await app(scope, receive, send)

    listening = socket.create_server(("127.0.0.1", int(port)))
    print("ready", flush=True)
    uvicorn.Server(uvicorn.Config(dispatch, log_level="error")).run(sockets=[listening])
