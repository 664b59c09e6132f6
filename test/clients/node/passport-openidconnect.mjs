import express from "express";
import session from "express-session";
import passport from "passport";
import OpenIDConnectStrategy from "passport-openidconnect";
import { application, discover, scope, serve, toLogoutUrl } from "./program.mjs";

const { issuer, clientId: clientID, clientSecret, url } = application;
const metadata = await discover();
const settings = {
  issuer,
  authorizationURL: metadata.authorization_endpoint,
  tokenURL: metadata.token_endpoint,
  userInfoURL: metadata.userinfo_endpoint,
  clientID,
  clientSecret,
  callbackURL: `${url}/callback`,
  scope: scope.split(" ").slice(1), // the library adds openid
  skipUserProfile: false,
};
const verify = (_issuer, profile, _context, idToken, _accessToken, _refreshToken, done) =>
  done(null, { id: profile.id, name: profile.displayName, idToken });
passport.use(new OpenIDConnectStrategy(settings, verify));

const app = express();
app.use(session({ secret: "test", resave: false, saveUninitialized: false }));
app.get("/login", passport.authenticate("openidconnect"));
app.get("/callback", (request, response, next) => {
  passport.authenticate("openidconnect", { session: false }, (error, user, info) => {
    if (!user) return response.json({ login: `failed: ${error?.message ?? info?.message}` });
    const userinfo = user.name === undefined ? "failed: no name" : user.id;
    return response.json({ login: user.id, userinfo, logout: toLogoutUrl(metadata, user.idToken) });
  })(request, response, next);
});
serve(app);
