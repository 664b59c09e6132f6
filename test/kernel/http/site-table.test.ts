import { describe, expect, test } from "@jest/globals";
import { createSiteTable } from "../../../src/kernel/http/site-table.ts";
import type { Site } from "../../../src/kernel/http/site.ts";

function siteOf(name: string, paths: Site["paths"]): Site {
  return {
    name,
    paths,
    cors: undefined,
    admission: "call",
    handle: () => Promise.reject(new Error("nothing is served here")),
  };
}

const rest = siteOf("rest", "others");

describe("a path is taken", () => {
  const find = createSiteTable([
    siteOf("token", ["/oauth/token"]),
    siteOf("oauth", ["/oauth/*", "/.well-known/openid-configuration"]),
    siteOf("root", ["/"]),
    rest,
  ]);

  test.each([
    ["/oauth/token", "token"],
    ["/oauth/token/", "oauth"],
    ["/oauth/", "oauth"],
    ["/oauth/v2/keys", "oauth"],
    ["/oauth", "rest"],
    ["/oauthorize", "rest"],
    ["/.well-known/openid-configuration", "oauth"],
    ["/.well-known/openid-configuration/x", "rest"],
    ["/", "root"],
    ["", "rest"],
    ["*", "rest"],
    ["/OAuth/token", "rest"],
    ["/%6fauth/token", "rest"],
  ])("%s by %s", (path, name) => {
    expect(find(path).name).toBe(name);
  });
});

describe("a list of sites is refused", () => {
  test.each<[string, readonly Site[]]>([
    ["in which nobody takes the other paths", [siteOf("one", ["/a"])]],
    ["in which two take all other paths", [rest, siteOf("more", "others")]],
    ["with a site behind the one that takes all other paths", [rest, siteOf("late", ["/a"])]],
    ["in which two take the same path", [siteOf("one", ["/a"]), siteOf("two", ["/a"]), rest]],
    ["in which two take the same prefix", [siteOf("one", ["/a/*"]), siteOf("two", ["/a/*"]), rest]],
    ["with a path behind the prefix that takes it", [siteOf("one", ["/a/*"]), siteOf("two", ["/a/b"]), rest]],
    ["with a prefix behind a shorter one", [siteOf("one", ["/a/*"]), siteOf("two", ["/a/b/*"]), rest]],
    ["with a relative path", [siteOf("one", ["a"]), rest]],
    ["with a star in the middle", [siteOf("one", ["/a/*/b"]), rest]],
    ["with a star that is no prefix", [siteOf("one", ["/a*"]), rest]],
    ["with a query", [siteOf("one", ["/a?b"]), rest]],
  ])("%s", (_, sites) => {
    expect(() => createSiteTable(sites)).toThrow(/site/);
  });

  test("in which a prefix takes everything", () => {
    expect(() => createSiteTable([siteOf("one", ["/*"]), rest])).toThrow("no path");
  });
});

test("a prefix may stand behind a longer one, and behind a path that it would take", () => {
  const find = createSiteTable([siteOf("one", ["/a/b/*", "/a/c"]), siteOf("two", ["/a/*"]), rest]);
  expect(["/a/b/c", "/a/c", "/a/d"].map((path) => find(path).name)).toEqual(["one", "one", "two"]);
});
