// Serves as `gatehouse serve` does, and is killed at a write that keeps an answer for an idempotency key: once it is durable
// and before it is answered, or (GATEHOUSE_TEST_DEATH=before-commit) when it is written whole and not committed yet. It is the
// first such write, or the first one after as many as GATEHOUSE_TEST_SPARED says.
import { parseArgs } from "node:util";
import { createLogger } from "../../../src/kernel/base/logging/logger.ts";
import type { Database, WriteTransaction } from "../../../src/kernel/base/database.ts";
import { parseConfig } from "../../../src/config/config.ts";
import { openInstallation } from "../../../src/app/installation.ts";
import { createServices } from "../../../src/app/services.ts";

const isBeforeCommit = process.env["GATEHOUSE_TEST_DEATH"] === "before-commit";
let spared = Number(process.env["GATEHOUSE_TEST_SPARED"] ?? "0");
let isAnswerKept = false;

function die(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;); // nothing more may happen, however long the signal takes
}

function onStatement(sql: string): void {
  if (!sql.startsWith("INSERT INTO idempotent_answers")) return;
  spared -= 1;
  if (spared >= 0) return;
  if (isBeforeCommit) die();
  isAnswerKept = true;
}

/** Looks at what a transaction writes, after it is written. */
function watched(tx: WriteTransaction): WriteTransaction {
  return {
    commit: tx.commit,
    now: tx.now,
    isUndone: () => tx.isUndone(),
    get: (sql, parameters) => tx.get(sql, parameters),
    all: (sql, parameters) => tx.all(sql, parameters),
    reserveSequences: (count) => tx.reserveSequences(count),
    nested: (fn) => tx.nested(fn),
    pause: () => tx.pause(),
    nextId: () => tx.nextId(),
    change: (sql, parameters) => tx.change(sql, parameters),
    async run(sql, parameters) {
      await tx.run(sql, parameters);
      onStatement(sql);
    },
  };
}

const { values } = parseArgs({
  allowPositionals: true,
  options: { data: { type: "string" }, listen: { type: "string" } },
});
const config = parseConfig(values, {});
const logger = createLogger("info");
const onFatal = (error: Error) => {
  throw error;
};
const installation = await openInstallation(config, { isNewAllowed: false, onFatal });
const { database } = installation.context;
const watchedDatabase: Database = {
  ...database,
  write: (fn, options) => database.write((tx) => fn(watched(tx)), options),
};
database.onCommit(() => {
  if (isAnswerKept) die();
});
const instanceId = await installation.instance.findId();
if (instanceId === undefined) throw new Error("the folder has no instance");
const { server } = createServices(
  config,
  { ...installation, context: { ...installation.context, database: watchedDatabase } },
  { instanceId, logger, version: "0.0.0-test", issuer: () => undefined },
);
const { host, port } = await server.start();
process.stdout.write(`gatehouse ready on http://${host}:${port}\n`);
