import express from "express";
import { AuthorizationCode } from "simple-oauth2";
import { application, attempt, discover, scope, serve } from "./program.mjs";

const { issuer, clientId: id, clientSecret: secret, url } = application;
const metadata = await discover();
const toPath = (endpoint) => new URL(endpoint).pathname;
const client = new AuthorizationCode({
  client: { id, secret },
  auth: {
    tokenHost: issuer,
    tokenPath: toPath(metadata.token_endpoint),
    authorizePath: toPath(metadata.authorization_endpoint),
  },
});
const redirectUri = `${url}/callback`;
const ask = async ({ token }) => {
  const headers = { authorization: `Bearer ${token.access_token}` };
  return (await (await fetch(metadata.userinfo_endpoint, { headers })).json()).sub;
};

const app = express();
app.get("/login", (_request, response) => {
  response.redirect(client.authorizeURL({ redirect_uri: redirectUri, scope, state: "state" }));
});
app.get("/callback", async ({ query }, response) => {
  let token;
  const login = await attempt(async () => {
    token = await client.getToken({ code: query.code, redirect_uri: redirectUri });
    return await ask(token);
  });
  if (token === undefined) return response.json({ login });
  return response.json({
    login,
    userinfo: login,
    refresh: await attempt(async () => await ask(await token.refresh())),
  });
});
serve(app);
