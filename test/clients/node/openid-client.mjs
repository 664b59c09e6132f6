import express from "express";
import * as client from "openid-client";
import { application, attempt, scope, serve } from "./program.mjs";

// The secret alone, as the README of the library has it: it then decides by itself how to send it.
const { issuer, clientId, clientSecret, url } = application;
const options = { execute: [client.allowInsecureRequests] };
const config = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, options);
const redirect_uri = `${url}/callback`;
const app = express();
let checks;

app.get("/login", async (_request, response) => {
  checks = { pkceCodeVerifier: client.randomPKCECodeVerifier(), expectedState: client.randomState() };
  const asked = {
    redirect_uri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: "S256",
    state: checks.expectedState,
  };
  response.redirect(client.buildAuthorizationUrl(config, asked).href);
});

app.get("/callback", async (request, response) => {
  let tokens;
  const login = await attempt(async () => {
    tokens = await client.authorizationCodeGrant(config, new URL(request.originalUrl, url), checks);
    return tokens.claims().sub;
  });
  if (tokens === undefined) return response.json({ login });
  const logout = { id_token_hint: tokens.id_token, post_logout_redirect_uri: `${url}/bye` };
  return response.json({
    login,
    userinfo: await attempt(async () => (await client.fetchUserInfo(config, tokens.access_token, login)).sub),
    refresh: await attempt(
      async () => (await client.refreshTokenGrant(config, tokens.refresh_token)).claims().sub,
    ),
    introspection: await attempt(
      async () => (await client.tokenIntrospection(config, tokens.access_token)).sub,
    ),
    logout: client.buildEndSessionUrl(config, logout).href,
  });
});

serve(app);
