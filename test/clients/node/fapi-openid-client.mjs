import express from "express";
import * as client from "openid-client";
import { importKeys, openUnpushed, refusing } from "./fapi-program.mjs";
import { application, attempt, scope, serve } from "./program.mjs";

const { issuer, clientId, url } = application;
const { es256, rs256 } = await importKeys();
const connect = async (key, modify) => {
  const how = client.PrivateKeyJwt(key, modify && { [client.modifyAssertion]: modify });
  const options = { execute: [client.allowInsecureRequests] };
  return await client.discovery(new URL(issuer), clientId, undefined, how, options);
};
const config = await connect(es256);
const proveBy = async (algorithm) => ({
  DPoP: client.getDPoPHandle(config, await client.randomDPoPKeyPair(algorithm)),
});
const bound = await proveBy("ES256");
const redirect_uri = `${url}/callback`;
const app = express();
let checks;
let asked;

const push = async (by = config, changed = {}) =>
  await client.buildAuthorizationUrlWithPAR(by, { ...asked, ...changed }, bound);

app.get("/login", async (_request, response) => {
  checks = { pkceCodeVerifier: client.randomPKCECodeVerifier(), expectedState: client.randomState() };
  asked = {
    redirect_uri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: "S256",
    state: checks.expectedState,
  };
  response.redirect((await push()).href);
});

app.get("/callback", async (request, response) => {
  const back = new URL(request.originalUrl, url);
  const redeem = async (options) =>
    await client.authorizationCodeGrant(config, back, checks, undefined, options);
  const otherKey = await proveBy("ES256");
  const early = {};
  for (const [name, options] of [
    ["proof", undefined],
    ["proofAlgorithm", await proveBy("RS256")],
    ["binding", otherKey],
  ])
    early[name] = await redeem(options).catch((error) => error);
  let tokens;
  const login = await attempt(async () => {
    tokens = await redeem(bound);
    return tokens.claims().sub;
  });
  if (tokens === undefined) return response.json({ login });
  const refused = refusing(login);
  const refusedAll = async (steps) => {
    const said = await Promise.all(steps.map((step) => refused("invalid_client", step)));
    return said.find((text) => text !== login) ?? login;
  };
  const rethrow = (error) => () => {
    throw error;
  };
  const refresh = async () => {
    for (const options of [bound, otherKey, bound]) {
      const fresh = await client.refreshTokenGrant(config, tokens.refresh_token, undefined, options);
      if (fresh.refresh_token !== tokens.refresh_token) return "failed: another refresh token";
    }
    return login;
  };
  const forEndpoint = await connect(es256, (_header, claims) => {
    claims.aud = config.serverMetadata().token_endpoint;
  });
  const forList = await connect(es256, (_header, claims) => {
    claims.aud = [issuer];
  });
  const nobody = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
    execute: [client.allowInsecureRequests],
  });
  const { code_challenge: _challenge, code_challenge_method: _method, ...withoutPkce } = asked;
  return response.json({
    login,
    userinfo: await attempt(
      async () => (await client.fetchUserInfo(config, tokens.access_token, login, bound)).sub,
    ),
    refresh: await attempt(refresh),
    push: await refused("invalid_request", () => openUnpushed(config.serverMetadata(), asked)),
    client: await refused("invalid_client", () => push(nobody)),
    pkce: await refused("invalid_request", () =>
      client.buildAuthorizationUrlWithPAR(config, withoutPkce, bound),
    ),
    audience: await refusedAll([() => push(forEndpoint), () => push(forList)]),
    algorithm: await refused("invalid_client", async () => push(await connect(rs256))),
    proof: await refused("invalid_dpop_proof", rethrow(early.proof)),
    proofAlgorithm: await refused("invalid_dpop_proof", rethrow(early.proofAlgorithm)),
    binding: await refused("invalid_grant", rethrow(early.binding)),
    bearer: await refused("invalid_token", () => client.fetchUserInfo(config, tokens.access_token, login)),
    reuse: await refused("invalid_grant", () => redeem(bound)),
  });
});

serve(app);
