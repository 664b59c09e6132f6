#!/usr/bin/env bash
# passport-openidconnect 0.1.2 asks userinfo only if the verify function has 9 parameters, whatever its settings say.
# One would expect: with `userInfoURL` set and the verify function of its README (issuer, profile, cb), `profile` has the name and the
# email address of userinfo, as passport-oauth2's strategies have it. OpenID Connect Core 5.4 sends them there, not in the ID token.
# What happens: userinfo is not asked, no error, and `profile` has nothing but the id; the README's own example reads
# `profile.displayName`. `skipUserProfile: false`, which the README does not name, makes it ask.
# Seen 2026-11-28 with passport-openidconnect 0.1.2 and oidc-provider 9.13.3 on Node 20 and 26; source: lib/strategy.js, `verify.length`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund passport-openidconnect@0.1.2 oidc-provider@9.13.3

cat >try.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";
import OpenIDConnectStrategy from "passport-openidconnect";

const site = "http://localhost:1"; // nothing needs to listen there
const server = createServer((request, response) => provider.callback()(request, response)).listen(0, "localhost");
await once(server, "listening");
const issuer = `http://localhost:${server.address().port}`;
const client = { client_id: "site", client_secret: "a secret of the site", redirect_uris: [`${site}/callback`] };
const provider = new Provider(issuer, {
  clients: [client],
  claims: { openid: ["sub"], profile: ["name"], email: ["email"] },
  findAccount: (_context, accountId) => ({
    accountId,
    claims: () => ({ sub: accountId, name: "Ada Lovelace", email: "ada@example.com" }),
  }),
  pkce: { required: () => false },
});
let asked = 0;
provider.use(async (context, next) => {
  if (context.path === "/me") asked += 1;
  await next();
});

/** Logs somebody in with these further settings. Returns what the strategy gives to the verify function. */
async function logIn(settings) {
  let profile;
  const verify = (_issuer, given, done) => {
    profile = given;
    done(null, given);
  };
  const strategy = new OpenIDConnectStrategy(
    {
      issuer,
      authorizationURL: `${issuer}/auth`,
      tokenURL: `${issuer}/token`,
      userInfoURL: `${issuer}/me`,
      clientID: client.client_id,
      clientSecret: client.client_secret,
      callbackURL: client.redirect_uris[0],
      scope: ["profile", "email"],
      ...settings,
    },
    verify,
  );
  const session = {};
  const run = (query) =>
    new Promise((resolve, reject) => {
      const how = { redirect: resolve, success: resolve, error: reject, fail: (info) => reject(new Error(info.message)) };
      Object.assign(Object.create(strategy), how).authenticate({ query, session, headers: {}, connection: {} });
    });
  const back = await walk(await run({}));
  await run(Object.fromEntries(back.searchParams));
  return profile;
}

/** Goes through the provider's pages for development, as a browser, until it sends back to the site. */
async function walk(start) {
  const cookies = new Map();
  let request = { url: start };
  for (;;) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const { url, body } = request;
    const options = { redirect: "manual", headers: { cookie }, ...(body === undefined ? {} : { method: "POST", body }) };
    const answer = await fetch(url, options);
    for (const line of answer.headers.getSetCookie()) cookies.set(...line.split(";", 1)[0].split(/=(.*)/s, 2));
    const location = answer.headers.get("location");
    if (location !== null) {
      request = { url: new URL(location, url).href };
      if (request.url.startsWith(site)) return new URL(request.url);
      continue;
    }
    const page = await answer.text();
    const [, action] = /action="([^"]+)"/.exec(page);
    const [, prompt] = /name="prompt" value="([^"]+)"/.exec(page);
    request = { url: new URL(action, url).href, body: new URLSearchParams({ prompt, login: "ada", password: "any" }) };
  }
}

const readme = await logIn({});
const askedByReadme = asked;
const told = await logIn({ skipUserProfile: false });
server.close();
server.closeAllConnections();
const { version } = JSON.parse(readFileSync("node_modules/passport-openidconnect/package.json", "utf8"));
console.log(`passport-openidconnect ${version}`);
console.log(`as its README says:     userinfo asked ${askedByReadme} times, displayName ${readme.displayName}`);
console.log(`skipUserProfile: false: userinfo asked ${asked - askedByReadme} times, displayName ${told.displayName}`);
const isSame = askedByReadme === 0 && readme.displayName === undefined && told.displayName === "Ada Lovelace";
console.log(isSame ? "the behaviour is as described" : "the behaviour has CHANGED");
process.exitCode = isSame ? 0 : 1;
PROGRAM
node try.mjs
