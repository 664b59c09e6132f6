import express from "express";
import * as client from "openid-client";
import { application, attempt, scope, serve } from "./program.mjs";

const { issuer, url } = application;
const options = { execute: [client.allowInsecureRequests] };
const redirect_uri = `${url}/callback`;
const metadata = { client_name: "Agent", grant_types: ["authorization_code", "refresh_token"] };
const app = express();
let config;
let checks;

const register = (redirect_uris) =>
  client.dynamicClientRegistration(new URL(issuer), { ...metadata, redirect_uris }, undefined, options);

app.get("/login", async (_request, response) => {
  config = await register([redirect_uri]);
  checks = { pkceCodeVerifier: client.randomPKCECodeVerifier(), expectedState: client.randomState() };
  const asked = {
    redirect_uri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: "S256",
    state: checks.expectedState,
    prompt: "consent",
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
  return response.json({
    login,
    userinfo: await attempt(async () => (await client.fetchUserInfo(config, tokens.access_token, login)).sub),
    refresh: await attempt(
      async () => (await client.refreshTokenGrant(config, tokens.refresh_token)).claims().sub,
    ),
    redirect: await register(["http://agent.example/callback"]).then(
      () => "failed: it was not refused",
      ({ cause: { error } = {} }) =>
        error === "invalid_redirect_uri" ? login : `failed: refused with ${error}`,
    ),
  });
});

serve(app);
