import { describe, expect, test } from "@jest/globals";
import { maxRetryPathLength, retryPathOf } from "../../../../src/kernel/http/exchanges/retry-path.ts";

const origin = "https://id.example.com";
const get = (path: string, query?: string, verb = "GET") => retryPathOf({ verb, path, query });

describe("the path of another try", () => {
  test.each([
    ["/", undefined, "/"],
    ["/login/1/password", undefined, "/login/1/password"],
    ["/oauth/v2/authorize", "client_id=1&state=a%2Fb", "/oauth/v2/authorize?client_id=1&state=a%2Fb"],
    ["/idps/callback", "", "/idps/callback?"],
    // What browsers do not encode in a query.
    ["/device", `code="<>'|[]{}^\`&next=//x?y\\z`, `/device?code="<>'|[]{}^\`&next=//x?y\\z`],
    ["/%2F%2Fevil.example", undefined, "/%2F%2Fevil.example"],
    ["/%5Cevil.example", undefined, "/%5Cevil.example"],
    ["/.//evil.example", undefined, "/.//evil.example"],
  ])("is that of the request: %s, %s", (path, query, expected) => {
    expect(get(path, query)).toBe(expected);
    expect(new URL(expected, `${origin}/x`).origin).toBe(origin);
  });

  test.each([
    "//evil.example",
    "//evil.example/login",
    "///evil.example",
    String.raw`/\evil.example`,
    String.raw`\\evil.example`,
    String.raw`/\/evil.example`,
    String.raw`/login/\..\evil`,
    "/\t/evil.example",
    "/\n/evil.example",
    "/ /evil.example",
    "/\u0000",
    "/\u00E9",
    "/\u3002evil.example",
    "/login#/x",
    "https://evil.example/",
    "javascript:alert(1)",
    "evil.example:443",
    "*",
    "",
  ])("is none for %j, which may lead elsewhere", (path) => {
    expect(get(path)).toBeUndefined();
    expect(get(path, "a=b")).toBeUndefined();
  });

  test("is none for a query with what no URL has", () => {
    for (const query of ["a=\t", "a=\r\nb", "a= ", "a=\u00E9", "a=\u202E"])
      expect(get("/login/1", query)).toBeUndefined();
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get"])(
    "is none for %s, which a link is not",
    (verb) => {
      expect(get("/login/1", undefined, verb)).toBeUndefined();
    },
  );

  test("has a bound", () => {
    const longest = "a".repeat(maxRetryPathLength - "/login?".length);
    expect(get("/login", longest)).toHaveLength(maxRetryPathLength);
    expect(get("/login", `${longest}a`)).toBeUndefined();
    expect(get(`/${"a".repeat(maxRetryPathLength)}`)).toBeUndefined();
  });
});
