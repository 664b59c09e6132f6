import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { nameOfBrowser } from "../../src/console/pages/credentials/sessions/browser-name.ts";
import { replaceLost, type Replacement } from "../../src/console/pages/credentials/shared/replace-lost.ts";

function refuse(code: Code, reason: string): ConnectError {
  const info = { desc: ErrorInfoSchema, value: { reason, domain: "gatehouse", metadata: {} } };
  return new ConnectError("no", code, undefined, [info]);
}

describe("a credential whose secret was lost", () => {
  test("is replaced under one key until an answer came, though the first one is gone by then", async () => {
    const key = { current: "first" };
    const keys: string[] = [];
    const isThere = [true];
    const replacement: Replacement = {
      async remove() {
        if (isThere.pop() === undefined) throw refuse(Code.NotFound, "NOT_FOUND");
      },
      async add(sent) {
        keys.push(sent);
        if (keys.length === 1) throw refuse(Code.Unavailable, "UNREACHABLE");
      },
    };
    await expect(replaceLost(replacement, key)).rejects.toThrow("no");
    await replaceLost(replacement, key);
    await replaceLost(replacement, key);
    expect(keys.slice(0, 2)).toEqual(["first", "first"]);
    expect(keys[2]).not.toBe("first");
  });

  test("is not replaced when it cannot be removed", async () => {
    const added: string[] = [];
    const replacement: Replacement = {
      async remove() {
        throw refuse(Code.PermissionDenied, "PERMISSION_DENIED");
      },
      add: async (key) => added.push(key),
    };
    await expect(replaceLost(replacement, { current: "first" })).rejects.toThrow("no");
    expect(added).toEqual([]);
  });
});

describe("the name of a browser", () => {
  test.each([
    [
      "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
      "Edge, Windows",
    ],
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari, iPhone"],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Linux"],
    ["curl/8.5.0", "curl/8.5.0"],
    ["", ""],
  ])("of %s", (userAgent, name) => {
    expect(nameOfBrowser(userAgent)).toBe(name);
  });

  test("is cut where it is long, never within a character", () => {
    expect(nameOfBrowser("a".repeat(61))).toBe(`${"a".repeat(60)} …`);
    expect(nameOfBrowser(`${"a".repeat(59)}😀`).isWellFormed()).toBe(true);
  });
});
