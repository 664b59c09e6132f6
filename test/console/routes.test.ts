import { describe, expect, test } from "@jest/globals";
import {
  fillPattern,
  matchRoute,
  parsePlace,
  toPath,
  toPlace,
  toUrl,
} from "../../src/console/routing/routes.ts";

const routes = [
  "/",
  "/orgs",
  "/orgs/:organization",
  "/orgs/new",
  "/orgs/:organization/users/:user",
  "/orgs/:organization/users/new",
].map((pattern) => ({ pattern }));

describe("a path", () => {
  test.each([
    ["/", "/", {}],
    ["/orgs/", "/orgs", {}],
    ["/orgs/new", "/orgs/new", {}],
    ["/orgs/12", "/orgs/:organization", { organization: "12" }],
    ["/orgs/a%2Fb", "/orgs/:organization", { organization: "a/b" }],
    ["/orgs/1/users/new", "/orgs/:organization/users/new", { organization: "1" }],
    ["/orgs/1/users/2", "/orgs/:organization/users/:user", { organization: "1", user: "2" }],
  ])("%s leads to %s", (path, pattern, params) => {
    expect(matchRoute(routes, path)).toEqual({ route: { pattern }, params });
  });

  test.each(["/nowhere", "/orgs/1/2", "/orgs/%E0%A4%A"])("%s leads nowhere", (path) => {
    expect(matchRoute(routes, path)).toBeUndefined();
  });

  test("is made of a pattern, with any character in a value", () => {
    const path = toPath("/orgs/:organization/users/:user", { organization: "1", user: "ä/?#%" });
    expect(path).toBe("/orgs/1/users/%C3%A4%2F%3F%23%25");
    expect(matchRoute(routes, path)?.params).toEqual({ organization: "1", user: "ä/?#%" });
  });

  test("is not made as long as a value is missing", () => {
    expect(fillPattern("/orgs/:organization/users", {})).toBeUndefined();
    expect(fillPattern("/orgs/:organization/users", { organization: "1", other: "2" })).toBe("/orgs/1/users");
    expect(fillPattern("/orgs", {})).toBe("/orgs");
  });
});

describe("a place", () => {
  test.each([
    ["/console", "", { path: "/", query: "" }],
    ["/console/", "?a=1", { path: "/", query: "a=1" }],
    ["/console/orgs", "?name=Lamp", { path: "/orgs", query: "name=Lamp" }],
  ])("is read from %s%s", (pathname, search, place) => {
    expect(toPlace(pathname, search)).toEqual(place);
  });

  test.each(["/", "/consoles", "/account/console"])("is not read from %s", (pathname) => {
    expect(toPlace(pathname, "")).toBeUndefined();
  });

  test("is read from a link, and written as a URL", () => {
    expect(toUrl(parsePlace("/orgs?name=a%3Fb"))).toBe("/console/orgs?name=a%3Fb");
    expect(toUrl(parsePlace("/orgs"))).toBe("/console/orgs");
  });
});
