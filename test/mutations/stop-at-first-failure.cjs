// Jest's environment for a mutant: one red test is enough, so the tests after it in the file are left out.
// Jest loads it by the name of the file, and CommonJS, so that no default export is needed.
const TestEnvironment = require("../../.tools/environment.cjs");

module.exports = class extends TestEnvironment {
  hasFailed = false;

  /** Hooks of what has begun still run: they end the services of the tests. */
  handleTestEvent(event) {
    if (event.name === "test_done" && event.test.errors.length > 0) this.hasFailed = true;
    if (!this.hasFailed) return;
    if (event.name === "test_start") event.test.mode = "skip";
    if (event.name === "run_describe_start") event.describeBlock.mode = "skip";
  }
};
