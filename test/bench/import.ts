/**
 * Measures how many users a second an import adds to a data folder, with hashes that need no wrapping, and how many rows of the same size
 * plain statements insert into a table of two indexes, in transactions of 1,000 as well: `node test/bench/import.ts [users]`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { runGatehouse, serveGatehouse } from "../support/process.ts";

const count = Number(process.argv[2] ?? 20_000);
const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-import-"));
const hash = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
const users = Array.from({ length: count }, (_, index) => [
  `old-${index}`,
  `user-${index}`,
  `Given ${index}`,
  `Family ${index}`,
  `user-${index}@example.com`,
  "true",
  hash,
]);
try {
  const file = join(folder, "users.csv");
  const header = "id,username,given_name,family_name,email,email_verified,password_hash";
  writeFileSync(file, [header, ...users.map((user) => user.join(","))].join("\n"));
  const data = join(folder, "data");
  await (await serveGatehouse(["--data", data, "--dev"], {})).stop();
  const words = ["import", "generic", file, "--data", data, "--organization", "Default", "--quiet"];
  const start = performance.now();
  const importing = runGatehouse([...words, "--apply", "--partial"]);
  if ((await importing.exited) !== 0) throw new Error(importing.stderr());
  const perSecond = rate(start);
  const plain = insertPlain(join(folder, "plain.db"));
  console.log(
    `import: ${perSecond} users/s, with the start of the command; plain INSERT: ${plain} rows/s; ratio 1 : ${Math.round(plain / perSecond)}`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

function rate(start: number): number {
  return Math.round((count * 1000) / (performance.now() - start));
}

function insertPlain(file: string): number {
  const raw = new Sqlite(file);
  raw.pragma("journal_mode = WAL");
  raw.pragma("synchronous = FULL");
  raw.exec(
    "CREATE TABLE people (id TEXT PRIMARY KEY, username TEXT UNIQUE, a TEXT, b TEXT, email TEXT, c TEXT, hash TEXT)",
  );
  const insert = raw.prepare("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?)");
  const start = performance.now();
  for (let at = 0; at < count; at += 1000)
    raw.transaction(() => {
      for (const user of users.slice(at, at + 1000)) insert.run(user);
    })();
  raw.close();
  return rate(start);
}
