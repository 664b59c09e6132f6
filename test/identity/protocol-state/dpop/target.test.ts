import { describe, expect, test } from "@jest/globals";
import { toTarget } from "../../../../src/identity/protocol-state/dpop/target.ts";

const target = "https://id.example/oauth/v2/token";

describe("the target of a proof (RFC 9449 §4.3, RFC 3986 §6.2)", () => {
  test.each([
    target,
    `${target}?`,
    `${target}?a=b#c`,
    `${target}#`,
    "HTTPS://ID.EXAMPLE/oauth/v2/token",
    "https://id.example:443/oauth/v2/token",
    "https://id.example:/oauth/v2/token",
    "https://id.example/oauth/./x/../v2/token",
    "https://id.example/oauth/%76%32/token",
    "https://id.example/oauth/v2/%74oken",
  ])("is the same for %s", (text) => {
    expect(toTarget(text)).toBe(target);
  });

  test.each([
    "http://id.example/oauth/v2/token",
    "https://id.example:8443/oauth/v2/token",
    "https://id.example./oauth/v2/token",
    "https://id.example/oauth/v2/token/",
    "https://id.example//oauth/v2/token",
    "https://id.example/OAUTH/v2/token",
    "https://id.example/oauth%2Fv2/token",
    "https://id.example.evil.example/oauth/v2/token",
  ])("is another for %s", (text) => {
    expect(toTarget(text)).not.toBe(target);
    expect(toTarget(text)).toBeDefined();
  });

  test("has its escapes in one form, and is only the root without a path", () => {
    expect(toTarget("http://localhost:8080/a%2fb%c3%bc%7E")).toBe("http://localhost:8080/a%2Fb%C3%BC~");
    expect(toTarget("http://localhost:8080")).toBe("http://localhost:8080/");
  });

  test.each([
    "",
    "token",
    "/oauth/v2/token",
    "//id.example/oauth/v2/token",
    "id.example/oauth/v2/token",
    "ftp://id.example/oauth/v2/token",
    "https://user@id.example/oauth/v2/token",
    "https://user:pass@id.example/oauth/v2/token",
    "https:\\\\id.example\\oauth\\v2\\token",
    "https:/id.example/oauth/v2/token",
    " https://id.example/oauth/v2/token",
    "https://id.example/oauth/v2/token\n",
    "https://id.exa\tmple/oauth/v2/token",
    "https://ıd.example/oauth/v2/token",
    "https://id.example/oauth/v2/tokén",
    "https://[::1/oauth",
    `https://id.example/${"a".repeat(4096)}`,
  ])("is none for %j", (text) => {
    expect(toTarget(text)).toBeUndefined();
  });
});
