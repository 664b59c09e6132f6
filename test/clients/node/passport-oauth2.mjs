import express from "express";
import session from "express-session";
import passport from "passport";
import OAuth2Strategy from "passport-oauth2";
import { application, discover, scope, serve } from "./program.mjs";

const { clientId: clientID, clientSecret, url } = application;
const metadata = await discover();
const settings = {
  authorizationURL: metadata.authorization_endpoint,
  tokenURL: metadata.token_endpoint,
  clientID,
  clientSecret,
  callbackURL: `${url}/callback`,
  scope,
  state: true,
};
const ask = async (accessToken) => {
  const answer = await fetch(metadata.userinfo_endpoint, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return await answer.json();
};
const verify = async (accessToken, _refreshToken, _parameters, _profile, done) => {
  done(null, await ask(accessToken));
};
passport.use(new OAuth2Strategy(settings, verify));

const app = express();
app.use(session({ secret: "test", resave: false, saveUninitialized: false }));
app.get("/login", passport.authenticate("oauth2"));
app.get("/callback", (request, response, next) => {
  passport.authenticate("oauth2", { session: false }, (error, user, info) => {
    const failed = `failed: ${error?.oauthError?.data ?? error?.message ?? info?.message}`;
    return response.json(user ? { login: user.sub, userinfo: user.sub } : { login: failed });
  })(request, response, next);
});
serve(app);
