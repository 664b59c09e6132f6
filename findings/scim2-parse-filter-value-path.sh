#!/usr/bin/env bash
# scim2-parse-filter 0.2.10: the conditions in `emails[...]` may each be met by another element.
# One would expect: a value path is about one element that meets all of it (RFC 7644, 3.4.2.2: "attribute grouping"), so that
# `emails[type eq "work" and value co "@home"]` finds nobody whose only address at home is not of the type "work".
# What happens: it is read as `emails.type eq "work" and emails.value co "@home"`, which any two elements meet together: users are found
# who do not fit, without an error. And `emails pr` is true for an empty list, where the RFC wants a value that is not empty.
# Seen 2026-11-28 with scim2-parse-filter 0.2.10 on Node 20 and 26; source: RFC 7644, figure 1 and table 3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund scim2-parse-filter@0.2.10

cat >try.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import library from "scim2-parse-filter";

const ada = {
  emails: [
    { type: "work", value: "ada@work.example" },
    { type: "home", value: "ada@home.example" },
  ],
};
const find = (text, user) => [user].filter(library.filter(library.parse(text))).length;
const expected = [
  ['emails[type eq "work" and value co "@work"]', ada, 1],
  ['emails[type eq "other"]', ada, 0],
  ['emails[type eq "work" and value co "@home"]', ada, 1], // 0 by the RFC
  ["emails pr", { emails: [] }, 1], // 0 by the RFC
];
const { version } = JSON.parse(readFileSync("node_modules/scim2-parse-filter/package.json", "utf8"));
console.log(`scim2-parse-filter ${version}`);
let isSame = true;
for (const [text, user, seen] of expected) {
  const now = find(text, user);
  isSame &&= now === seen;
  console.log(`${text} of ${JSON.stringify(user)}: ${now === 1 ? "found" : "not found"}`);
}
console.log(isSame ? "the behaviour is as described" : "the behaviour has CHANGED");
process.exitCode = isSame ? 0 : 1;
PROGRAM
node try.mjs
