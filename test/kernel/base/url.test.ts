import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { hasLoopbackHost, parseHost, parseHttpUrl, urlViolation } from "../../../src/kernel/base/url.ts";

const withQuery = { allowQuery: true };

describe("a URL", () => {
  test.each([
    "https://example.com",
    "http://example.com/",
    "HTTPS://Example.COM/Path",
    "https://example.com:8443/a/b;c?d=e&f",
    "https://example.com/@path",
    "https://example.com/a%20b",
    "https://example.com/straße/日本",
    "https://bücher.example/",
    "https://127.0.0.1:8080/",
    "https://[2001:db8::1]/",
    "https://example.com?query",
  ])("may be %s", (text) => {
    expect(urlViolation(text, withQuery)).toBeUndefined();
    expect(parseHttpUrl(text)).toEqual(new URL(text));
  });

  test.each([
    ["nothing", ""],
    ["a word", "example"],
    ["a path", "/path"],
    ["another scheme", "ftp://example.com/"],
    ["javascript:", "javascript:alert(1)"],
    ["javascript: with slashes", "javascript://example.com/%0aalert(1)"],
    ["file:", "file:///etc/passwd"],
    ["no scheme", "//example.com/"],
    ["no slashes", "https:example.com"],
    ["one slash", "https:/example.com"],
    ["three slashes", "https:///example.com"],
    ["no host", "https://"],
    ["only a query", "https://?a"],
    ["only a port", "https://:443/"],
    ["a port that is none", "https://example.com:port/"],
    ["a port too large", "https://example.com:65536/"],
    ["a host with a space", "https://exa mple.com/"],
    ["a space before", " https://example.com/"],
    ["a space behind", "https://example.com/ "],
    ["a tab inside", "https://exam\tple.com/"],
    ["a line feed inside", "https://example.com/a\nb"],
    ["a carriage return behind", "https://example.com/\r"],
    ["a no-break space", "https://example.com/a\u00a0b"],
    ["a NUL", "https://example.com/\0"],
    ["a DEL", "https://example.com/\u007f"],
    ["backslashes", "https:\\\\example.com\\"],
    ["a backslash in the path", "https://example.com/a\\b"],
    ["a backslash before an @", "https://example.com\\@other.example/"],
    ["a lone surrogate", "https://example.com/\ud800"],
    ["a bad IPv4 address", "https://256.1.1.1/"],
    ["a bad IPv6 address", "https://[::1/"],
  ])("is not %s", (_name, text) => {
    expect(urlViolation(text, withQuery)).toMatch(/^must be an absolute http or https URL/);
    expect(parseHttpUrl(text)).toBeUndefined();
  });

  const label = "a".repeat(63);
  const longest = `${label}.${label}.${label}.${"a".repeat(61)}`;

  test.each([
    "https://example.com./", // with the dot of the root: RFC 1034 §3.1
    "https://_dmarc.example_1.com/",
    "https://-a.b-.example/",
    "https://xn--bcher-kva.example/",
    "https://a:1/",
    `https://${longest}/`,
    `https://${longest}./`,
    "https://127.0.0.1./",
    "https://[::]/",
  ])("may have the host of %s", (text) => {
    expect(urlViolation(text, withQuery)).toBeUndefined();
  });

  test.each([
    ["only the root", "https://./"],
    ["only the root, escaped", "https://%2e/"],
    ["an empty label", "https://a..b/"],
    ["an empty label, of a full stop that counts as a dot", "https://a\u3002\u3002b/"],
    ["an empty first label", "https://.a/"],
    ["two dots behind", "https://a../"],
    ["two dots behind an address", "https://127.0.0.1../"],
    ["a label of 64 characters", `https://a${label}.example/`],
    ["a label that is as long in the DNS", `https://${"ü".repeat(60)}.example/`],
    ["a name of 254 characters", `https://${longest}a/`],
    ["a wildcard", "https://*.example.com/"],
    ["a comma", "https://a,b.example/"],
    ["a template", "https://{tenant}.example.com/"],
  ])("has a host that somebody can have, not %s", (_name, text) => {
    expect(URL.canParse(text)).toBe(true); // this is why
    expect(urlViolation(text, withQuery)).toMatch(
      /^must be an absolute http or https URL whose host has labels/,
    );
    expect(parseHost(text.slice("https://".length, -1))).toBeUndefined();
  });

  test.each([
    "https://example.com:0/",
    "https://example.com:00000/",
    "https://[::1]:0/",
    "http://127.0.0.1:0/",
  ])("has no port 0: %s", (text) => {
    expect(urlViolation(text, withQuery)).toBe("must not contain port 0");
  });

  test.each([
    "https://user:password@example.com/",
    "https://user@example.com/",
    "https://@example.com/",
    "https://:@example.com/",
    "https://a%40b@example.com/",
    "https://example.com@other.example/",
  ])("has no user info: %s", (text) => {
    expect(urlViolation(text, withQuery)).toBe("must not contain user info");
  });

  test.each([
    "https://example.com/#fragment",
    "https://example.com/#",
    "https://example.com#",
    "https://a/?b#c",
  ])("has no fragment: %s", (text) => {
    expect(urlViolation(text, withQuery)).toBe("must not contain a fragment");
  });

  test.each(["https://example.com/?a=b", "https://example.com?", "https://example.com/?"])(
    "has no query where none is allowed: %s",
    (text) => {
      expect(urlViolation(text, { allowQuery: false })).toBe("must not contain a query");
      expect(urlViolation(text, withQuery)).toBeUndefined();
    },
  );

  test("is what the WHATWG parser makes the same host and no credentials of, or is refused", () => {
    const pieces = [
      "https:",
      "http:",
      "/",
      "//",
      "\\",
      "@",
      ":",
      "#",
      "?",
      "a.example",
      "[::1]",
      " ",
      "\t",
      "%",
      "é",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        const url = parseHttpUrl(text);
        const host = /^https?:\/\/([^/?#]+)/.exec(text)?.[1];
        expect(url === undefined || (url.username === "" && url.password === "" && url.hash === "")).toBe(
          true,
        );
        expect(url === undefined || URL.parse(`http://${host}`)?.hostname === url.hostname).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a loopback host", () => {
  test.each([
    "http://localhost/",
    "http://LOCALHOST:3000/",
    "http://localhost./",
    "http://a.b.localhost/",
    "http://127.0.0.1/",
    "http://127.255.255.254/",
    "http://2130706433/",
    "http://[::1]:8080/",
    "http://[0:0:0:0:0:0:0:1]/",
  ])("is %s", (text) => {
    expect(hasLoopbackHost(new URL(text))).toBe(true);
  });

  test.each([
    "http://localhost.example.com/",
    "http://notlocalhost/",
    "http://127.0.0.1.example.com/",
    "http://128.0.0.1/",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://example.com/localhost",
  ])("is not %s", (text) => {
    expect(hasLoopbackHost(new URL(text))).toBe(false);
  });
});
