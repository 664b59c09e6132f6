// Freezes the database of a release: serves from a checkout of it, makes objects of every kind by calls, reads them back and
// writes everything as text. README.md says when and how.
//
// node test/kernel/events/frozen/make.ts <checkout> <name of the new folder>
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Sqlite from "better-sqlite3";
import { makeTemporaryFolder } from "../../../support/temporary.ts";
import { connectTo } from "./json-api.ts";
import { playLogins } from "./play-logins.ts";
import { playScenario } from "./scenario.ts";
import { toSqlText } from "./sql-text.ts";
import { readAll } from "./read-back.ts";

const [checkout, name] = process.argv.slice(2);
if (checkout === undefined || name === undefined) throw new Error("usage: make.ts <checkout> <name>");
const temporary = makeTemporaryFolder();
const data = join(temporary.path, "data");
const target = join(import.meta.dirname, "fixtures", name);
mkdirSync(target, { recursive: true });

const { reads, unknown, answers, logins } = await serve(async (url) => {
  const api = connectTo(url, readFileSync(join(data, "admin.token"), "utf8").trim());
  const made = await playScenario(api);
  const played = made.unknown.includes("ApplicationService/CreateOidcApplication")
    ? undefined
    : await playLogins(api, url);
  return { ...made, logins: played, answers: await readAll(api, made.reads) };
});
const database = new Sqlite(join(data, "gatehouse.db"), { readonly: true });
writeFileSync(join(target, "database.sql"), toSqlText(database));
database.close();
for (const file of ["master.key", "admin.token"]) copyFileSync(join(data, file), join(target, file));
writeFileSync(join(target, "answers.json"), `${JSON.stringify(answers, undefined, 1)}\n`);
if (logins !== undefined)
  writeFileSync(join(target, "logins.json"), `${JSON.stringify(logins, undefined, 1)}\n`);
temporary.remove();
process.stdout.write(
  `${reads.length} reads; not known to this release: ${unknown.join(", ") || "nothing"}\n`,
);

/** Runs the service of the checkout while `use` calls it. */
async function serve<T>(use: (url: string) => Promise<T>): Promise<T> {
  const main = join(checkout ?? "", "src/main.ts");
  const child = spawn(process.execPath, [main, "serve", "--data", data, "--listen", "127.0.0.1:0", "--dev"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], GATEHOUSE_LOG_LEVEL: "warn" },
  });
  try {
    const [line] = (await once(createInterface(child.stdout), "line")) as [string]; // the arguments of "line"
    return await use(line.replace("gatehouse ready on ", ""));
  } finally {
    child.kill("SIGTERM");
    await once(child, "close");
  }
}
