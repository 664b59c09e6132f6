import { describe, expect, test } from "@jest/globals";
import { inspect } from "node:util";
import { refusalOf } from "./samples.ts";
import { parseConfig } from "../../src/config/config.ts";
import { parsePlace } from "../../src/config/place.ts";

const url = "postgres://gatehouse@db.example.com:5432,db2.example.com/gatehouse";
const withPassword = "postgres://gatehouse:canary@db.example.com/gatehouse";
const keys = { "master-key-file": "/etc/gatehouse/master.key" };

/** Returns the message of the ConfigError that these options lead to. */
describe("without --database", () => {
  test("the place is the data folder, from the flag, the variable or the default", () => {
    expect(parsePlace({ data: "/a" }, { GATEHOUSE_DATA: "/b" })).toEqual({ dataFolder: "/a" });
    expect(parsePlace({}, { GATEHOUSE_DATA: "/b", GATEHOUSE_LISTEN: "nonsense" })).toEqual({
      dataFolder: "/b",
    });
    expect(parsePlace({}, { GATEHOUSE_DATABASE: "" })).toEqual({ dataFolder: "./data" });
  });

  test("the data folder must have a name", () => {
    expect(refusalOf({ data: "" })).toBe("--data must not be empty");
    expect(refusalOf({}, { GATEHOUSE_DATA: "" })).toBe("--data must not be empty");
  });

  test.each([
    [keys, "--master-key-file has no effect without --database: master.key is in the data folder"],
    [{ "require-synchronous": "yes" }, "--require-synchronous has no effect without --database"],
  ])("%j is refused", (flags, message) => {
    expect(refusalOf(flags)).toBe(message);
  });
});

describe("--database", () => {
  test("is read from the flag or the variable, with the folder for what is not in the database", () => {
    for (const [flags, environment] of [
      [{ ...keys, database: url }, {}],
      [keys, { GATEHOUSE_DATABASE: url }],
    ] as const) {
      const { dataFolder, database } = parsePlace(flags, environment);
      expect({ dataFolder, ...database, url: database?.url.reveal() }).toMatchObject({
        dataFolder: "./data",
        url,
        masterKeyFile: "/etc/gatehouse/master.key",
        requireSynchronous: "auto",
        dev: false,
      });
    }
  });

  test("needs a key file", () => {
    expect(refusalOf({ database: url })).toBe(
      "--database needs --master-key-file, the same file for all processes; gatehouse init creates it",
    );
  });

  test.each([withPassword, "postgres://db.example.com/gatehouse?user=a&password=canary"])(
    "must not show a password on the command line: %s",
    (database) => {
      const refusal = refusalOf({ ...keys, database });
      expect(refusal).toContain("--database must not contain the password");
      expect(refusal).not.toContain("canary");
    },
  );

  test("may have a password in the variable, which is not printed with the configuration", () => {
    const environment = { GATEHOUSE_DATABASE: withPassword, PGPASSWORD: "canary" };
    const config = parseConfig(keys, environment);
    expect(config.database?.url.reveal()).toBe(withPassword);
    expect(config.database?.environment()).toBe(environment);
    expect(JSON.stringify(config) + inspect(config, { depth: null })).not.toContain("canary");
  });

  test("ends local mode, unless --dev turns it on", () => {
    const local = (flags: object) => {
      const { isLocal, sms } = parseConfig({ ...keys, database: url, ...flags }, {});
      return { isLocal, sms: sms.kind };
    };
    expect(local({})).toEqual({ isLocal: false, sms: "none" });
    expect(local({ dev: true })).toEqual({ isLocal: true, sms: "outbox" });
  });

  test("allows the outbox, a file of one process, only with --dev", () => {
    const flags = { ...keys, database: url, "sms-provider": "outbox" };
    expect(() => parseConfig(flags, {})).toThrow(
      "--sms-provider outbox writes to a file of one process; with --database it needs --dev",
    );
    expect(parseConfig({ ...flags, dev: true }, {}).sms).toEqual({ kind: "outbox" });
  });
});
