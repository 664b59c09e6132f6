import { describe, expect, test } from "@jest/globals";
import { array, assert, constantFrom, property } from "fast-check";
import type { OidcAppType } from "../../../../src/identity/applications/oidc/oidc-application.ts";
import {
  isPostLogoutRedirectUriRegistered,
  isRedirectUriRegistered,
  originViolation,
  redirectUriViolation,
} from "../../../../src/identity/applications/oidc/redirect-uri.ts";

const mayRegister = (uri: string, appType: OidcAppType, isDevMode = false) =>
  redirectUriViolation(uri, { appType, isDevMode }) === undefined;
const isRegistered = (registered: string, uri: string, appType: OidcAppType = "NATIVE") =>
  isRedirectUriRegistered({ redirectUris: [registered], appType }, uri);

describe("a redirect URI", () => {
  test.each([
    "",
    "/cb",
    "//app.example/cb",
    "app.example",
    "https:app.example/cb",
    "https:///cb",
    "https://app.example/cb#",
    "https://app.example/cb#a",
    "https://user@app.example/cb",
    "https://app.example@evil.example/cb",
    "https://*.app.example/cb",
    "https://app.example/*",
    "https://app.example/a b",
    "https://app.example\\@evil.example/",
    "https://app.example/\u0000",
    "https://app.example/cb\r\nset-cookie:a=b",
    "https://täst.example/",
    " https://app.example/",
    "https://app.example:0/",
    "http://app.example/cb",
    "http://localhost.evil.example/cb",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,a",
    "vbscript:a",
    "file:///etc/passwd",
    "com.example.app://user@host/cb",
  ])("is refused for every type of application: %j", (uri) => {
    for (const appType of ["WEB", "USER_AGENT", "NATIVE"] as const) {
      expect(mayRegister(uri, appType)).toBe(false);
      expect(mayRegister(uri, appType, true)).toBe(false);
    }
  });

  test.each(["WEB", "USER_AGENT"] as const)("of %s is https; with dev mode http on loopback, too", (type) => {
    expect(mayRegister("https://app.example/cb?a=b", type)).toBe(true);
    for (const uri of ["http://localhost:8080/cb", "http://127.0.0.1/cb", "http://[::1]:3000"]) {
      expect(mayRegister(uri, type)).toBe(false);
      expect(mayRegister(uri, type, true)).toBe(true);
    }
    expect(mayRegister("com.example.app:/cb", type, true)).toBe(false);
  });

  test("of NATIVE is https, http on the device itself, or has a private scheme", () => {
    for (const uri of [
      "https://app.example/cb",
      "http://127.0.0.1/cb",
      "http://[::1]:4711/cb",
      "http://localhost",
      "com.example.app:/cb",
      "com.example.app://cb",
    ])
      expect(mayRegister(uri, "NATIVE")).toBe(true);
    expect(mayRegister("http://127.0.0.2/cb", "NATIVE", true)).toBe(false);
    expect(mayRegister("myapp://cb", "NATIVE")).toBe(false);
    expect(mayRegister("myapp://cb", "NATIVE", true)).toBe(true);
  });
});

describe("an origin", () => {
  test.each([
    "https://app.example/",
    "https://app.example/a",
    "https://APP.example",
    "https://app.example:443",
  ])("is refused unless it is written as browsers write it: %s", (origin) => {
    expect(originViolation(origin, { appType: "WEB", isDevMode: true })).toBeDefined();
  });

  test("follows the rules of redirect URIs", () => {
    const rule = { appType: "WEB", isDevMode: false } as const;
    expect(originViolation("https://app.example:8443", rule)).toBeUndefined();
    expect(originViolation("http://localhost:8080", rule)).toBeDefined();
    expect(originViolation("http://localhost:8080", { ...rule, isDevMode: true })).toBeUndefined();
    expect(originViolation("com.example.app:", { appType: "NATIVE", isDevMode: true })).toBeDefined();
  });
});

describe("the comparison at use", () => {
  test.each([
    ["https://app.example/cb", "https://app.example/cb/"],
    ["https://app.example/cb", "https://app.example/CB"],
    ["https://app.example/cb", "https://APP.example/cb"],
    ["https://app.example/cb", "https://app.example:443/cb"],
    ["https://app.example/cb", "https://app.example/cb?a=b"],
    ["https://app.example/cb", "https://app.example/%63b"],
    ["https://app.example/cb", "https://app.example/x/../cb"],
    ["https://app.example/cb", "https://app.example.evil.example/cb"],
    ["http://localhost/cb", "http://localhost.evil.example/cb"],
    ["http://localhost/cb", "http://localhost:80@evil.example/cb"],
    ["http://localhost/cb", "http://localhost:/cb"],
    ["http://localhost/cb", "http://localhost:0/cb"],
    ["http://localhost/cb", "http://localhost:65536/cb"],
    ["http://localhost/cb", "https://localhost/cb"],
    ["http://localhost/cb", "http://127.0.0.1/cb"],
    ["http://localhost:1/cb", "http://localhost:2/other"],
    ["https://localhost:1/cb", "https://localhost:2/cb"],
  ])("%s is not %s", (registered, uri) => {
    expect(isRegistered(registered, uri)).toBe(false);
  });

  test("lets only what runs on a device choose its port", () => {
    for (const uri of ["http://localhost:1/cb", "http://localhost/cb", "http://localhost:65535/cb"]) {
      expect(isRegistered("http://localhost:8080/cb", uri)).toBe(true);
      expect(isRegistered("http://localhost:8080/cb", uri, "WEB")).toBe(false);
    }
    expect(isRegistered("http://[::1]?a=b", "http://[::1]:99?a=b")).toBe(true);
  });

  test("is the same after a logout", () => {
    const settings = { postLogoutRedirectUris: ["http://127.0.0.1/out"], appType: "NATIVE" } as const;
    expect(isPostLogoutRedirectUriRegistered(settings, "http://127.0.0.1:5000/out")).toBe(true);
    expect(isPostLogoutRedirectUriRegistered(settings, "http://127.0.0.1:5000/")).toBe(false);
  });

  test("never lets a URI in that names another host, whatever stands around the port", () => {
    const part = constantFrom(
      "http://",
      "localhost",
      ":",
      "80",
      "@",
      "evil.example",
      "/",
      "cb",
      "?",
      "#",
      "\\",
      ".",
    );
    assert(
      property(array(part, { maxLength: 8 }), (parts) => {
        const uri = parts.join("");
        const isIn = isRegistered("http://localhost/cb", uri);
        expect(isIn && URL.parse(uri)?.hostname !== "localhost").toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
