import express from "express";
import * as oauth from "oauth4webapi";
import { application, attempt, serve } from "./program.mjs";
import { asked, askedFor, audienceOf, resources } from "./resources-program.mjs";

const { issuer, clientId, clientSecret, url } = application;
const options = { [oauth.allowInsecureRequests]: true };
const discovered = await oauth.discoveryRequest(new URL(issuer), options);
const server = await oauth.processDiscoveryResponse(new URL(issuer), discovered);
const client = { client_id: clientId };
const authentication = oauth.ClientSecretPost(clientSecret);
const app = express();
let verifier;
let state;

app.get("/login", async (_request, response) => {
  verifier = oauth.generateRandomCodeVerifier();
  state = oauth.generateRandomState();
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const parameters = asked({ client_id: clientId, response_type: "code", code_challenge: challenge, state });
  response.redirect(`${server.authorization_endpoint}?${parameters}`);
});

app.get("/callback", async (request, response) => {
  let tokens;
  const both = await attempt(async () => {
    const back = oauth.validateAuthResponse(server, client, new URL(request.originalUrl, url), state);
    const how = { ...options, additionalParameters: askedFor(resources) };
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      back,
      `${url}/callback`,
      verifier,
      how,
    );
    tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
    return audienceOf(tokens, resources);
  });
  if (tokens === undefined) return response.json({ both });
  const refresh = async (wanted, scope) => {
    const how = { ...options, additionalParameters: askedFor(wanted, scope) };
    const answer = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authentication,
      tokens.refresh_token,
      how,
    );
    tokens = await oauth.processRefreshTokenResponse(server, client, answer);
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
