import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newMasterKeyText } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { findPostgres } from "../../support/postgres-cluster.ts";

/**
 * Makes the options of commands that name a place without data: its folder or, in the tier `postgres`, a database of the server of
 * the tests, and a key file in the folder.
 */
export function makePlaceOptions(folder: string): readonly string[] {
  const server = process.env["GATEHOUSE_TEST_DATABASE"];
  const inFolder = ["--data", folder];
  if (server === undefined) return inFolder;
  const name = `process_${randomBytes(8).toString("hex")}`;
  execFileSync(join(findPostgres().folder, "psql"), [server, "--quiet", "-c", `CREATE DATABASE ${name}`]);
  const keyFile = join(folder, "master.key");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(keyFile, newMasterKeyText(systemRandom), { mode: 0o600 });
  const url = new URL(server);
  url.pathname = `/${name}`;
  // The server keeps its files in memory, which only --dev allows.
  return [...inFolder, "--database", url.href, "--master-key-file", keyFile, "--dev"];
}
