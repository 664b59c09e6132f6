#!/usr/bin/env bash
# mcp 2.3.0 (PyPI): a client whose MCP server names no scopes asks for every scope that the authorization server knows.
# One would expect: without scopes in the 401 and in the metadata of the server it leaves `scope` out, as the specification of MCP says
# ("Scope Selection Strategy": scopes_supported of the protected resource, or none), and gets the default scopes.
# What happens: it takes `scopes_supported` of the authorization server. So an agent asks for all that is listed there, be it for other
# clients or administrators, and a server that refuses a scope that the client may not have ends the login with invalid_scope.
# Seen 2026-11-29 with Python 3.11; source: get_client_metadata_scopes in mcp/client/auth/utils.py ("SDK fallback").
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet mcp==2.3.0

cat >try.py <<'PROGRAM'
import asyncio
import json
import logging
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if "oauth-protected-resource" in self.path:
            return self.say({"resource": f"{url}/mcp", "authorization_servers": [url]})
        if not self.path.startswith("/.well-known/"):
            self.send_response(401)
            self.end_headers()
            return None
        metadata = {"issuer": url, "authorization_endpoint": f"{url}/authorize", "token_endpoint": f"{url}/token"}
        return self.say({**metadata, "response_types_supported": ["code"], "scopes_supported": ["openid", "admin"]})

    def say(self, body):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_args):
        pass


server = ThreadingHTTPServer(("localhost", 0), Handler)
url = f"http://localhost:{server.server_port}"
threading.Thread(target=server.serve_forever, daemon=True).start()


class Storage:
    async def get_tokens(self):
        return None

    async def get_client_info(self):
        return OAuthClientInformationFull(client_id="client", redirect_uris=["http://localhost/callback"])


class Asked(Exception):
    pass


async def ask(location):
    raise Asked(parse_qs(urlsplit(location).query).get("scope", ["no scope"])[0])


async def main():
    metadata = OAuthClientMetadata(redirect_uris=["http://localhost/callback"], grant_types=["authorization_code"])
    auth = OAuthClientProvider(f"{url}/mcp", metadata, Storage(), ask, ask)
    async with httpx2.AsyncClient(auth=auth) as client:
        try:
            await client.get(f"{url}/mcp")
        except Asked as asked:
            return str(asked)
    return "nobody is asked"


logging.disable()  # it logs each failed step
scope = asyncio.run(main())
print(f"the client asks for: {scope}")
is_same = scope == "openid admin"
print("the behaviour is as described" if is_same else "the behaviour has CHANGED")
sys.exit(0 if is_same else 1)
PROGRAM
venv/bin/python try.py
