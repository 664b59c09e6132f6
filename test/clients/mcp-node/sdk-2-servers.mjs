import {
  createMcpExpressApp,
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
  requireBearerAuth,
} from "@modelcontextprotocol/express";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  requireScopes,
} from "@modelcontextprotocol/server";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { moreScope, other, program, scope, server } from "./program.mjs";

/** Makes the servers of version 2 of the SDK, which verify tokens by themselves (RFC 9068). */
export async function createServers() {
  const app = createMcpExpressApp();
  const found = await fetch(`${program.issuer}/.well-known/oauth-authorization-server`);
  const oauthMetadata = await found.json();
  const keys = createRemoteJWKSet(new URL(oauthMetadata.jwks_uri));
  for (const resource of [server, other]) {
    const verifier = {
      async verifyAccessToken(token) {
        const rule = { issuer: program.issuer, audience: resource.href, typ: "at+jwt" };
        const { payload } = await jwtVerify(token, keys, rule).catch((error) => {
          throw new OAuthError(OAuthErrorCode.InvalidToken, error.message);
        });
        const { client_id: clientId, scope: scopes = "", exp: expiresAt, sub } = payload;
        return { token, clientId, scopes: scopes.split(" "), expiresAt, resource, extra: { sub } };
      },
    };
    const handler = createMcpHandler(() => {
      const mcp = new McpServer({ name: "tools", version: "1.0.0" });
      const whoami = ({ http }) => ({ content: [{ type: "text", text: http.authInfo.extra.sub }] });
      mcp.registerTool("whoami", {}, whoami);
      mcp.registerTool("more", { scopeChallenge: requireScopes(scope, moreScope) }, whoami);
      return mcp;
    });
    const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resource);
    const gate = { verifier, requiredScopes: [scope], resourceMetadataUrl, expectedResource: resource };
    app.use(
      mcpAuthMetadataRouter({
        oauthMetadata,
        resourceServerUrl: resource,
        scopesSupported: [scope, moreScope],
      }),
    );
    app.post(resource.pathname, requireBearerAuth(gate), (request, response) =>
      toNodeHandler(handler)(request, response, request.body),
    );
  }
  return app;
}
