// The environment of the tests of the tiers `postgres`, `postgres-pair` and `workers-pair`: it leaves out the cases that a list names, by the
// beginning of their full names, and fails a file that has none for an entry. The lists are test/postgres/not-applicable.json
// and, for two processes, not-with-two.json beside it.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import TestEnvironment from "../environment.cjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

export default class PostgresEnvironment extends TestEnvironment {
  #list;
  #leftOut;
  #unseen;

  constructor(config, context) {
    super(config, context);
    const file = relative(root, context.testPath);
    this.#list = `test/postgres/${config.projectConfig.globals.testProcesses === 2 ? "not-with-two" : "not-applicable"}.json`;
    const leftOut = JSON.parse(readFileSync(`${root}${this.#list}`, "utf8"));
    this.#leftOut = Object.keys(leftOut[file] ?? {});
    this.#unseen = new Set(this.#leftOut);
  }

  handleTestEvent({ name, test }) {
    if (name === "test_start") {
      const entry = this.#leftOut.find((beginning) => fullNameOf(test).startsWith(beginning));
      if (entry === undefined) return;
      this.#unseen.delete(entry);
      test.mode = "skip";
    }
    if (name === "run_finish" && this.#unseen.size > 0)
      throw new Error(`${this.#list} names no case here: ${[...this.#unseen].join("; ")}`);
  }
}

/** The names of the blocks around a test and its own, without that of the outermost block, which is jest's. */
function fullNameOf({ name, parent }) {
  return parent?.parent === undefined ? name : `${fullNameOf(parent)} ${name}`;
}
