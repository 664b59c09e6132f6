import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { fromNodeHeaders, toNodeHandler } from "better-auth/node";
import { genericOAuth } from "better-auth/plugins";
import express from "express";
import { application, attempt, discover, scope, serve, toLogoutUrl } from "./program.mjs";

const { issuer, clientId, clientSecret, url } = application;
const providerId = "gatehouse";
const tables = { user: [], session: [], account: [], verification: [] };
const provider = {
  providerId,
  clientId,
  clientSecret,
  discoveryUrl: `${issuer}/.well-known/openid-configuration`,
  scopes: scope.split(" "),
  pkce: true,
};
const auth = betterAuth({
  baseURL: url,
  secret: "a secret for tests, which is 32 characters or more",
  database: memoryAdapter(tables),
  plugins: [genericOAuth({ config: [provider] })],
});
const metadata = await discover();
const app = express();

app.get("/login", async (_request, response) => {
  const body = { provider: providerId, callbackURL: "/done" };
  const answer = await auth.api.signInSocial({ body, asResponse: true });
  for (const cookie of answer.headers.getSetCookie()) response.append("set-cookie", cookie);
  response.redirect((await answer.json()).url);
});
app.all("/api/auth/*rest", toNodeHandler(auth));
app.get("/done", async (request, response) => {
  const headers = fromNodeHeaders(request.headers);
  const session = await auth.api.getSession({ headers });
  const [account] = tables.account;
  if (session === null || account === undefined)
    return response.json({ login: `failed: ${request.query.error}` });
  const login = account.accountId;
  return response.json({
    login,
    userinfo: session.user.email === "" ? "failed: no email" : login, // it has no name without userinfo
    refresh: await attempt(async () => {
      await auth.api.refreshToken({ body: { accountId: account.id }, headers });
      return login;
    }),
    logout: toLogoutUrl(metadata, account.idToken),
  });
});
serve(app);
