import { describe, expect, test } from "@jest/globals";
import { parseConfig } from "../../src/config/config.ts";
import { environmentNameOf } from "../../src/config/option.ts";
import { optionDefinitions } from "../../src/config/options.ts";
import {
  divide,
  mailWebhook,
  type Sample,
  samples,
  smtp,
  twilio,
  webhook,
  withTestsOfTheirOwn,
} from "./samples.ts";

/** What an option is needed for: without it, it is not needed either. */
const complete: ReadonlySet<Sample["needs"]> = new Set([webhook, twilio, mailWebhook, smtp]);

describe("the table of options", () => {
  test("has no name twice, neither as a flag nor as a variable", () => {
    const names = optionDefinitions.map((option) => option.name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(names.map(environmentNameOf)).size).toBe(names.length);
  });

  test("has only names that can be typed, and defaults that are accepted", () => {
    for (const { name } of optionDefinitions) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    const defaults = Object.fromEntries(optionDefinitions.map((option) => [option.name, option.default]));
    expect(parseConfig(defaults, {})).toEqual(parseConfig({}, {}));
  });

  test("describes every option in a sentence", () => {
    for (const { description } of optionDefinitions) expect(description).toMatch(/^[A-Z].*\.$/);
  });

  test("is tested here from the first option to the last", () => {
    const names: readonly string[] = optionDefinitions.map((option) => option.name);
    expect([...Object.keys(samples), ...withTestsOfTheirOwn].toSorted()).toEqual(names.toSorted());
  });

  test("names variables after the flags", () => {
    expect(environmentNameOf("max-message-bytes")).toBe("GATEHOUSE_MAX_MESSAGE_BYTES");
  });
});

describe.each(Object.entries<Sample>(samples))("--%s", (name, sample) => {
  const [first, second] = sample.values;
  const { flags, environment } = divide(sample.needs ?? {});
  const own = { flags: { ...flags }, environment: { ...environment } };
  delete own.flags[name];
  const variable = environmentNameOf(name);

  test("is read from the flag", () => {
    expect(sample.read(parseConfig({ ...flags, [name]: first }, environment))).toEqual(sample.shown[0]);
    expect(sample.read(parseConfig({ ...flags, [name]: second }, environment))).toEqual(sample.shown[1]);
  });

  test("is read from the environment", () => {
    const read = (value: string) =>
      sample.read(parseConfig(own.flags, { ...environment, [variable]: value }));
    expect(read(first)).toEqual(sample.shown[0]);
    expect(read(second)).toEqual(sample.shown[1]);
  });

  test("is taken from the flag when both are there", () => {
    const config = parseConfig({ ...flags, [name]: second }, { ...environment, [variable]: first });
    expect(sample.read(config)).toEqual(sample.shown[1]);
  });

  test("has its default when neither is there", () => {
    const isComplete = complete.has(sample.needs) || "database" in flags;
    const needed = isComplete ? {} : own.flags;
    expect(sample.read(parseConfig(needed, {}))).toEqual(sample.shown[2]);
  });
});

describe("a flag", () => {
  test("may stand without a value for true, and wins with false over its variable", () => {
    expect(parseConfig({ dev: true }, {}).dev).toBe(true);
    expect(parseConfig({ dev: false }, { GATEHOUSE_DEV: "true" }).dev).toBe(false);
  });

  test("of a list may be repeated", () => {
    expect(parseConfig({ "fetch-allowed-hosts": ["a.test", "b.test,c.test"] }, {}).fetchAllowedHosts).toEqual(
      ["a.test", "b.test", "c.test"],
    );
  });

  test.each(["GATEHOUSE_DEV", "GATEHOUSE_CORS_ORIGINS", "GATEHOUSE_MAX_MESSAGE_BYTES"])(
    "whose variable %s is empty has its default",
    (variable) => {
      expect(parseConfig({}, { [variable]: "" })).toEqual(parseConfig({}, {}));
    },
  );
});
