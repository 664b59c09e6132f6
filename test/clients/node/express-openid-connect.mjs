import express from "express";
import library from "express-openid-connect";
import { application, attempt, discover, scope, serve, toLogoutUrl } from "./program.mjs";

const { issuer, clientId: clientID, clientSecret, url } = application;
const metadata = await discover();
const app = express();
app.use(
  library.auth({
    baseURL: url,
    issuerBaseURL: issuer,
    clientID,
    clientSecret,
    secret: "a secret for tests, which is long enough",
    authorizationParams: { response_type: "code", scope },
    authRequired: false,
    idpLogout: true,
  }),
);
app.get("/", async ({ oidc }, response) => {
  const { idToken, accessToken, user } = oidc;
  if (user === undefined) return response.json({ login: "failed: nobody is logged in" });
  return response.json({
    login: user.sub,
    userinfo: await attempt(async () => (await oidc.fetchUserInfo()).sub),
    refresh: await attempt(async () => {
      await accessToken.refresh();
      return (await oidc.fetchUserInfo()).sub;
    }),
    logout: toLogoutUrl(metadata, idToken),
  });
});
serve(app);
