#!/usr/bin/env bash
# @modelcontextprotocol/sdk 1.32.2: a client that has a refresh token never gets more scopes by insufficient_scope.
# One would expect: an answer 403 with insufficient_scope and the scopes it takes sends the user to the authorization server, as the
# specification of MCP has it ("Scope Challenge Handling"), and as the client does without a refresh token.
# What happens: it refreshes instead, which cannot give more (RFC 6749 section 6), sends the request again, and fails at the second 403
# with "Server returned 403 after trying upscoping". Version 2 (@modelcontextprotocol/client) asks the user.
# Seen 2026-11-29 on Node 26; source: authInternal of client/auth.js, called by send of client/streamableHttp.js.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0

cat >try.mjs <<'PROGRAM'
import { once } from "node:events";
import { createServer } from "node:http";
import * as second from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const server = createServer((request, response) => {
  const json = (body) => response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  if (request.url.includes("oauth-protected-resource"))
    return json({ resource: `${url}/mcp`, authorization_servers: [url] });
  if (request.url.startsWith("/.well-known/"))
    return json({
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    });
  if (request.url === "/token")
    return json({ access_token: "refreshed", token_type: "Bearer", scope: "tools", refresh_token: "next" });
  const challenge = `Bearer error="insufficient_scope", scope="tools more"`;
  return response.writeHead(403, { "www-authenticate": challenge }).end();
}).listen(0, "localhost");
await once(server, "listening");
const url = `http://localhost:${server.address().port}`;

/** Connects with tokens of the scope `tools`. Returns whether the user is asked, or what it fails with. */
async function connect({ Client, StreamableHTTPClientTransport }, refresh) {
  let asked = "nobody is asked";
  const authProvider = {
    redirectUrl: "http://localhost/callback",
    clientMetadata: { redirect_uris: ["http://localhost/callback"] },
    clientInformation: () => ({ client_id: "client", issuer: url }),
    tokens: () => ({ access_token: "first", token_type: "Bearer", scope: "tools", issuer: url, ...refresh }),
    saveTokens: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => "",
    redirectToAuthorization: (to) => void (asked = `asks the user for ${to.searchParams.get("scope")}`),
  };
  const client = new Client({ name: "agent", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider });
  return await client.connect(transport).then(
    () => "connects",
    ({ message }) => (asked.startsWith("asks") ? asked : `${asked}: ${message}`),
  );
}

const first = { Client, StreamableHTTPClientTransport };
const token = { refresh_token: "one" };
const asks = "asks the user for tools more";
const expected = [
  ["version 1 without a refresh token", () => connect(first, {}), asks],
  ["version 1 with one", () => connect(first, token), "nobody is asked: Streamable HTTP error: Server returned 403 after trying upscoping"],
  ["version 2 with one", () => connect(second, token), asks],
];
let isSame = true;
for (const [name, run, seen] of expected) {
  const now = await run();
  isSame &&= now === seen;
  console.log(`${name}: ${now}`);
}
server.close();
server.closeAllConnections();
console.log(isSame ? "the behaviour is as described" : "the behaviour has CHANGED");
process.exitCode = isSame ? 0 : 1;
PROGRAM
node try.mjs
