import express from "express";
import * as client from "openid-client";
import { application, attempt, serve } from "./program.mjs";
import { asked, askedFor, audienceOf, resources } from "./resources-program.mjs";

const { issuer, clientId, clientSecret, url } = application;
const options = { execute: [client.allowInsecureRequests] };
const config = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, options);
const app = express();
let checks;

app.get("/login", async (_request, response) => {
  checks = { pkceCodeVerifier: client.randomPKCECodeVerifier(), expectedState: client.randomState() };
  const challenge = await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier);
  const parameters = asked({ code_challenge: challenge, state: checks.expectedState });
  response.redirect(client.buildAuthorizationUrl(config, parameters).href);
});

app.get("/callback", async (request, response) => {
  let tokens;
  const both = await attempt(async () => {
    const back = new URL(request.originalUrl, url);
    tokens = await client.authorizationCodeGrant(config, back, checks, askedFor(resources));
    return audienceOf(tokens, resources);
  });
  if (tokens === undefined) return response.json({ both });
  const refresh = async (wanted, scope) => {
    tokens = await client.refreshTokenGrant(config, tokens.refresh_token, askedFor(wanted, scope));
    return audienceOf(tokens, wanted, scope);
  };
  return response.json({
    both,
    one: await attempt(() => refresh([resources[0]])),
    narrow: await attempt(() => refresh([resources[1]], "prices.read")),
    target: await refresh(["urn:example:unknown"]).then(
      () => "failed: it was not refused",
      ({ error }) => (error === "invalid_target" ? both : `failed: refused with ${error}`),
    ),
  });
});

serve(app);
