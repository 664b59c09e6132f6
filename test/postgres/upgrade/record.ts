/**
 * Records the statements that the service sends to PostgreSQL while tests run, for `former-statements.test.ts`. Run it before
 * a release, and before a migration changes tables that there are: `node test/postgres/upgrade/record.ts test/api test/sites/oidc`.
 * Writes `statements-<version of the schema>.json` beside this file.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newestPostgresVersion } from "../../../src/kernel/storage/postgres/migrations/migrate.ts";
import { createPostgresServer, findPostgres, makePostgresFolder } from "../../support/postgres-cluster.ts";

const root = join(import.meta.dirname, "../../..");
const settings = {
  max_connections: 400,
  logging_collector: "on",
  log_destination: "jsonlog",
  log_statement: "all",
  log_rotation_size: 0,
};

const programs = findPostgres();
const folder = makePostgresFolder(programs);
const server = await createPostgresServer(programs, folder, { settings });
const jest = spawn(process.execPath, [".tools/jest.mjs", "postgres", ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, GATEHOUSE_TEST_DATABASE: server.url() },
  stdio: "inherit",
});
await once(jest, "exit");
await server.stop();
const texts = listTexts(join(server.dataFolder, "log"));
await folder.remove();
const name = `statements-${String(newestPostgresVersion()).padStart(4, "0")}.json`;
writeFileSync(join(import.meta.dirname, name), `${JSON.stringify(texts, undefined, 2)}\n`);
process.stdout.write(`${texts.length} statements in ${name}\n`);

/** Returns the texts, the shortest of those that differ only in how many rows or values they are given. */
function listTexts(logs: string): readonly string[] {
  const shortest = new Map<string, string>();
  for (const file of readdirSync(logs).filter((each) => each.endsWith(".json"))) {
    for (const line of readFileSync(join(logs, file), "utf8").split("\n")) {
      if (!line.includes('"message":"execute ')) continue;
      const { message, application_name: application } = JSON.parse(line) as Record<string, string>; // as documented
      const text = /^execute (?!<unnamed>)[^:]+: (.*)$/s
        .exec(message ?? "")?.[1]
        ?.replaceAll(/\s+/g, " ")
        .trim();
      if (text === undefined || !/^gatehouse (section|read|locks)$/.test(application ?? "")) continue;
      if (!/^(SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(text)) continue; // a test has changed the schema
      const shape = text
        .replaceAll(/\$\d+/g, "$")
        .replaceAll(/(\(\$(?:, \$)*\))(?:, \1)+/g, "$1")
        .replaceAll(/\(\$(?:, \$)+\)/g, "($)");
      const known = shortest.get(shape);
      if (known === undefined || text.length < known.length) shortest.set(shape, text);
    }
  }
  return [...shortest.values()].toSorted();
}
