// Performs the eight operations over each of the content types, with real clients against a real process, logs somebody in
// at the end, and prints how each went. Ends non-zero if anything failed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serveGatehouse } from "../support/process.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { createDemoClients, type DemoAnswer, type DemoClient } from "./clients.ts";
import { demonstrateLogin, type LoginStep } from "./login.ts";
import { type Operation, operations, prepare } from "./operations.ts";

interface Row {
  readonly operation: string;
  readonly contentType: string;
  readonly status: string;
  readonly ms: string;
  readonly details: string;
  readonly ok: boolean;
}

const folder = makeTemporaryFolder();
const service = await serveGatehouse(["--data", folder.path]);
const rows: Row[] = [];
try {
  const token = readFileSync(join(folder.path, "admin.token"), "utf8").trim();
  for (const client of createDemoClients(service.url, token)) {
    const stage = await prepare(client);
    for (const operation of operations)
      rows.push(await perform(client, operation, await operation.request(stage)));
    client.close();
  }
  const steps = await demonstrateLogin({ url: service.url, authorization: `Bearer ${token}` });
  rows.push(...steps.map(toRow));
} finally {
  const code = await service.stop();
  folder.remove();
  if (code !== 0)
    rows.push({ operation: "stop", contentType: "", status: `exit ${code}`, ms: "", details: "", ok: false });
}
print(rows);
const failed = rows.filter((row) => !row.ok).length;
process.stdout.write(`\n${rows.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function perform(client: DemoClient, operation: Operation, request: object): Promise<Row> {
  const started = performance.now();
  const answer = await client.call(operation.service, operation.rpc, request);
  const ms = (performance.now() - started).toFixed(1);
  const problem = answer.ok ? findProblem(operation, answer) : answer.status;
  return {
    operation: operation.rpc,
    contentType: client.contentType,
    status: problem ?? answer.status,
    ms,
    details: answer.ok ? JSON.stringify(answer.body["details"]) : "",
    ok: problem === undefined,
  };
}

function toRow({ name, problem, ms, shown }: LoginStep): Row {
  const status = problem ?? "OK";
  return {
    operation: `login: ${name}`,
    contentType: "",
    status,
    ms: ms.toFixed(1),
    details: shown,
    ok: problem === undefined,
  };
}

/** Says what is wrong with the details of an answer, or returns undefined. */
function findProblem(operation: Operation, answer: DemoAnswer): string | undefined {
  const details = answer.body["details"];
  if (typeof details !== "object" || details === null) return "no details";
  const { sequence, changeDate, creationDate, resourceOwner } = details as Record<string, unknown>;
  if (typeof sequence !== "string" || !/^[1-9]\d*$/.test(sequence)) return "no sequence";
  if (typeof changeDate !== "string" || typeof resourceOwner !== "string" || resourceOwner === "")
    return "details not whole";
  if ((creationDate !== undefined) !== operation.hasCreationDate) return "creationDate wrong";
  const missing = operation.alsoAnswers.find(
    (field) => typeof answer.body[field] !== "string" || answer.body[field] === "",
  );
  return missing === undefined ? undefined : `no ${missing}`;
}

function print(table: readonly Row[]): void {
  const columns = ["operation", "contentType", "status", "ms", "details"] as const;
  const widths = columns.map((column) => Math.max(column.length, ...table.map((row) => row[column].length)));
  const line = (cells: readonly string[]) =>
    `${cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd()}\n`;
  process.stdout.write(line(columns));
  for (const row of table) process.stdout.write(line(columns.map((column) => row[column])));
}
