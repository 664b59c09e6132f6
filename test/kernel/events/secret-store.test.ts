import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { findSecret, putSecret, removeSecret } from "../../../src/kernel/events/secret-store.ts";
import { openTestLog, type TestLog } from "./test-log.ts";

let log: TestLog;

beforeEach(async () => {
  log = await openTestLog([]);
});

afterEach(() => log.close());

const put = (id: string, keyId: string, ...bytes: readonly number[]) =>
  log.database.write((tx) => putSecret(tx, id, { keyId, value: new Uint8Array(bytes) }));
const find = async (id: string) => {
  const secret = await log.database.read((tx) => findSecret(tx, id));
  return secret && [secret.keyId, ...secret.value];
};

describe("a secret", () => {
  test("is found under its id", async () => {
    await put("token:1", "", 1, 2);
    await put("token:2", "key", 3);
    expect([await find("token:1"), await find("token:2")]).toEqual([
      ["", 1, 2],
      ["key", 3],
    ]);
  });

  test("takes the place of the one before", async () => {
    await put("token:1", "old", 1, 2);
    await put("token:1", "new", 3);
    expect(await find("token:1")).toEqual(["new", 3]);
  });

  test("is gone once it was removed", async () => {
    await put("token:1", "", 1);
    await log.database.write((tx) => removeSecret(tx, "token:1"));
    expect(await find("token:1")).toBeUndefined();
  });

  test("may be removed when there is none", async () => {
    await put("token:1", "", 1);
    await log.database.write((tx) => removeSecret(tx, "token:2"));
    expect(await find("token:1")).toEqual(["", 1]);
  });
});
