import { generateKeyPair, generateProof } from "dpop";
import express from "express";
import * as oauth from "oauth4webapi";
import { importKeys, openUnpushed, refusing } from "./fapi-program.mjs";
import { application, attempt, discover, scope, serve } from "./program.mjs";

// Requests by hand, with the proofs of dpop and the assertions of oauth4webapi.
const { issuer, clientId, url } = application;
const { es256, rs256 } = await importKeys();
const metadata = await discover();
const keys = {
  own: await generateKeyPair("Ed25519"),
  other: await generateKeyPair("ES256"),
  rsa: await generateKeyPair("RS256"),
};
const redirect_uri = `${url}/callback`;
const app = express();
let verifier;
let asked;

/** Sends a form as the application does, unless it is said otherwise. Raises the error of the answer. */
async function send(endpoint, fields, { by = es256, aud, proofBy = keys.own } = {}) {
  const form = new URLSearchParams({ client_id: clientId, ...fields });
  const headers = new Headers();
  const modify =
    aud === undefined ? {} : { [oauth.modifyAssertion]: (_header, claims) => Object.assign(claims, { aud }) };
  if (by !== null) await oauth.PrivateKeyJwt(by, modify)({ issuer }, { client_id: clientId }, form, headers);
  if (proofBy !== null) headers.set("dpop", await generateProof(proofBy, endpoint, "POST"));
  const answer = await (await fetch(endpoint, { method: "POST", body: form, headers })).json();
  if (answer.error !== undefined) throw Object.assign(new Error(answer.error_description), answer);
  return answer;
}

const push = (how, fields = asked) => send(metadata.pushed_authorization_request_endpoint, fields, how);

async function readUserinfo(token) {
  const dpop = await generateProof(keys.own, metadata.userinfo_endpoint, "GET", undefined, token);
  const answer = await fetch(metadata.userinfo_endpoint, {
    headers: { authorization: `DPoP ${token}`, dpop },
  });
  return (await answer.json()).sub;
}

async function readAsBearer(token) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(metadata.userinfo_endpoint, { headers });
  throw Object.assign(new Error("refused"), await answer.json());
}

app.get("/login", async (_request, response) => {
  verifier = oauth.generateRandomCodeVerifier();
  const code_challenge = await oauth.calculatePKCECodeChallenge(verifier);
  asked = { redirect_uri, response_type: "code", scope, code_challenge, code_challenge_method: "S256" };
  const { request_uri } = await push();
  const brought = new URLSearchParams({ client_id: clientId, request_uri });
  response.redirect(`${metadata.authorization_endpoint}?${brought}`);
});

app.get("/callback", async (request, response) => {
  const { code, iss } = request.query;
  if (iss !== issuer) return response.json({ login: "failed: the answer does not name the issuer" });
  const form = { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier };
  const redeem = (how) => send(metadata.token_endpoint, form, how);
  const early = {};
  for (const [name, proofBy] of [
    ["proof", null],
    ["proofAlgorithm", keys.rsa],
    ["binding", keys.other],
  ])
    early[name] = await redeem({ proofBy }).catch((error) => error);
  let tokens;
  const login = await attempt(async () => {
    tokens = await redeem();
    return await readUserinfo(tokens.access_token);
  });
  if (tokens === undefined) return response.json({ login });
  const refused = refusing(login);
  const rethrow = (error) => () => {
    throw error;
  };
  const refresh = async () => {
    const { refresh_token } = tokens;
    for (const proofBy of [keys.own, keys.other]) {
      const fresh = await send(
        metadata.token_endpoint,
        { grant_type: "refresh_token", refresh_token },
        { proofBy },
      );
      if (fresh.refresh_token !== refresh_token) return "failed: another refresh token";
    }
    return login;
  };
  const audiences = [metadata.token_endpoint, metadata.pushed_authorization_request_endpoint, [issuer]];
  const wrong = await Promise.all(audiences.map((aud) => refused("invalid_client", () => push({ aud }))));
  const { code_challenge: _challenge, code_challenge_method: _method, ...withoutPkce } = asked;
  return response.json({
    login,
    userinfo: await attempt(() => readUserinfo(tokens.access_token)),
    refresh: await attempt(refresh),
    push: await refused("invalid_request", () => openUnpushed(metadata, asked)),
    client: await refused("invalid_client", () => push({ by: null })),
    pkce: await refused("invalid_request", () => push({}, withoutPkce)),
    audience: wrong.find((text) => text !== login) ?? login,
    algorithm: await refused("invalid_client", () => push({ by: rs256 })),
    proof: await refused("invalid_dpop_proof", rethrow(early.proof)),
    proofAlgorithm: await refused("invalid_dpop_proof", rethrow(early.proofAlgorithm)),
    binding: await refused("invalid_grant", rethrow(early.binding)),
    bearer: await refused("invalid_token", () => readAsBearer(tokens.access_token)),
    reuse: await refused("invalid_grant", () => redeem()),
  });
});

serve(app);
