import { expect, test } from "@jest/globals";
import { toRedirect } from "../../../../src/sites/oidc/requests/redirect.ts";

test.each([
  ["https://a.example/cb", "https://a.example/cb?state=1"],
  ["https://a.example/cb?x=y", "https://a.example/cb?x=y&state=1"],
  ["com.example.app:/cb", "com.example.app:/cb?state=1"],
])("an answer stands behind %s", (redirectUri, expected) => {
  expect(toRedirect(redirectUri, { state: "1", code: undefined })).toBe(expected);
});

test("an answer holds nothing but values, whatever is in them", () => {
  const state = "a&code=b#c\r\nset-cookie: x\u2028 é";
  const location = toRedirect("https://a.example/cb", { state });
  expect(location).toMatch(/^[\x21-\x7e]+$/);
  expect(new URL(location).searchParams.get("state")).toBe(state);
  expect([...new URL(location).searchParams.keys()]).toEqual(["state"]);
});

test("nothing to say changes nothing", () => {
  expect(toRedirect("https://a.example/cb?", { state: undefined })).toBe("https://a.example/cb?");
});
