#!/usr/bin/env bash
# @auth/express 0.12.3 with Express 5: none of the wildcards that Express has for "everything below /auth" works; plain "/auth" does.
# One would expect: its package allows Express 5, so its documented `app.use("/auth/*", ExpressAuth(config))`, with the wildcard given a
# name as Express 5 wants it (`/auth/*rest`, `/auth/{*rest}`), serves the pages below /auth.
# What happens: `/auth/*` throws at the start, which the guide of Express explains; with a name all pages answer 400 "Bad request.", since
# the library looks for what the wildcard matched in `params[0]`, and takes the whole path for its base path. Without any: all is well.
# Seen 2026-11-28 with @auth/express 0.12.3 and express 5.3.0 on Node 26; source: getBasePath, and nextauthjs/next-auth issue 12672.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund @auth/express@0.12.3 express@5.3.0

cat >try.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { ExpressAuth } from "@auth/express";
import express from "express";

/** Returns what `/auth/csrf` answers when the library is used at that path. */
async function ask(path) {
  const app = express();
  const config = { secret: "a secret of 32 characters or more", trustHost: true, providers: [], logger: { error() {} } };
  try {
    app.use(path, ExpressAuth(config));
  } catch (error) {
    return `throws: ${error.message.split(";", 1)[0]}`;
  }
  const server = app.listen(0, "localhost");
  await once(server, "listening");
  const answer = await fetch(`http://localhost:${server.address().port}/auth/csrf`);
  const text = await answer.text();
  server.close();
  server.closeAllConnections();
  return `${answer.status} ${text.startsWith('{"csrfToken"') ? "a token" : text}`;
}

const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
console.log(`@auth/express ${versionOf("@auth/express")}, express ${versionOf("express")}`);
const expected = [
  ["/auth/*", "throws: Missing parameter name at index 7: /auth/*"],
  ["/auth/*rest", '400 "Bad request."'],
  ["/auth/{*rest}", '400 "Bad request."'],
  ["/auth", "200 a token"],
];
let isSame = true;
for (const [path, seen] of expected) {
  const now = await ask(path);
  isSame &&= now === seen;
  console.log(`${path}: ${now}`);
}
console.log(isSame ? "the behaviour is as described" : "the behaviour has CHANGED");
process.exitCode = isSame ? 0 : 1;
PROGRAM
node try.mjs
