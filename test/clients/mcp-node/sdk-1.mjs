import { auth, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from "@modelcontextprotocol/sdk/server/auth/router.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import express from "express";
import {
  attempt,
  introspect,
  keepInMemory,
  moreScope,
  other,
  program,
  refuse,
  requireDescribed,
  scope,
  serve,
  server,
} from "./program.mjs";

// The server, which asks for each token whether it is for it.
const app = express();
app.use(express.json());
const found = await fetch(`${program.issuer}/.well-known/oauth-authorization-server`);
const oauthMetadata = await found.json();
for (const resourceServerUrl of [server, other]) {
  app.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl, scopesSupported: [scope, moreScope] }));
  const verifier = {
    async verifyAccessToken(token) {
      const {
        active,
        client_id: clientId,
        scope: scopes = "",
        exp,
        aud,
        sub,
      } = await introspect(token, resourceServerUrl.href);
      const resource =
        active && [aud].flat().includes(resourceServerUrl.href) ? resourceServerUrl : undefined;
      return { token, clientId, scopes: scopes.split(" "), expiresAt: exp ?? 0, resource, extra: { sub } };
    },
  };
  const requireScopes = (requiredScopes) =>
    requireBearerAuth({
      verifier,
      requiredScopes,
      resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
      expectedResource: resourceServerUrl,
    });
  const [some, more] = [requireScopes([scope]), requireScopes([scope, moreScope])];
  app.post(
    resourceServerUrl.pathname,
    (request, response, next) =>
      (request.body?.params?.name === "more" ? more : some)(request, response, next),
    async (request, response) => {
      const mcp = new McpServer({ name: "tools", version: "1.0.0" });
      for (const name of ["whoami", "more"])
        mcp.registerTool(name, {}, ({ authInfo }) => ({
          content: [{ type: "text", text: authInfo.extra.sub }],
        }));
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      await mcp.connect(transport);
      await transport.handleRequest(request, response, request.body);
    },
  );
}

/** Calls a tool, and sends the browser away when the server asks for a login. */
async function call(name, provider, sendBrowser) {
  for (let tries = 0; ; tries++) {
    const client = new Client({ name: "agent", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(server, { authProvider: provider });
    try {
      await client.connect(transport);
      const { content } = await client.callTool({ name });
      return content[0].text;
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || tries > 0) throw error;
      const back = await sendBrowser(provider.kept.location);
      await transport.finishAuth(back.get("code") ?? back.get("error_description"));
    } finally {
      await client.close();
    }
  }
}

serve(app, async (sendBrowser) => {
  const described = keepInMemory({ clientMetadataUrl: program.clientMetadataUrl });
  const registered = keepInMemory({});
  return {
    document: requireDescribed(described, await attempt(() => call("whoami", described, sendBrowser))),
    stepUp: await attempt(() => call("more", described, sendBrowser)),
    other: await refuse(described.kept.tokens),
    registered: await attempt(async () => {
      // It asks for what the server names, so for a refresh token it has to be told.
      await auth(registered, { serverUrl: server, scope: `${scope} offline_access` });
      const back = await sendBrowser(registered.kept.location);
      await auth(registered, { serverUrl: server, authorizationCode: back.get("code") });
      return await call("whoami", registered);
    }),
    refresh: await attempt(() => {
      registered.kept.tokens.access_token = "expired";
      return call("whoami", registered);
    }),
  };
});
