import express from "express";
import session from "express-session";
import grant from "grant";
import { application, discover, scope, serve, toLogoutUrl } from "./program.mjs";

const { clientId: key, clientSecret: secret, url } = application;
const metadata = await discover();
const settings = {
  defaults: {
    origin: url,
    transport: "session",
    state: true,
    nonce: true,
    pkce: true,
    response: ["tokens", "jwt", "profile"],
  },
  gatehouse: {
    authorize_url: metadata.authorization_endpoint,
    access_url: metadata.token_endpoint,
    profile_url: metadata.userinfo_endpoint,
    oauth: 2,
    key,
    secret,
    scope: scope.split(" "),
    scope_delimiter: " ",
    callback: "/done",
  },
};
const app = express();
app.use(session({ secret: "test", resave: false, saveUninitialized: true }));
app.use(grant.express()(settings));
app.get("/login", (_request, response) => response.redirect("/connect/gatehouse"));
app.get("/done", (request, response) => {
  const { jwt, profile, error, id_token: idToken } = request.session.grant.response;
  const login = jwt?.id_token?.payload?.sub ?? `failed: ${JSON.stringify(error)}`;
  if (idToken === undefined) return response.json({ login });
  return response.json({ login, userinfo: profile?.sub ?? "failed", logout: toLogoutUrl(metadata, idToken) });
});
serve(app);
