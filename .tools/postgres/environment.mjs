// The environment of the tests of the tier `postgres`: it leaves out the cases that test/postgres/not-applicable.json names,
// by the beginning of their full names, and fails a file that has none for an entry.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import TestEnvironment from "../environment.cjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const notApplicable = JSON.parse(readFileSync(`${root}test/postgres/not-applicable.json`, "utf8"));

export default class PostgresEnvironment extends TestEnvironment {
  #leftOut;
  #unseen;

  constructor(config, context) {
    super(config, context);
    const file = relative(root, context.testPath);
    this.#leftOut = Object.keys(notApplicable[file] ?? {});
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
      throw new Error(
        `test/postgres/not-applicable.json names no case here: ${[...this.#unseen].join("; ")}`,
      );
  }
}

/** The names of the blocks around a test and its own, without that of the outermost block, which is jest's. */
function fullNameOf({ name, parent }) {
  return parent?.parent === undefined ? name : `${fullNameOf(parent)} ${name}`;
}
