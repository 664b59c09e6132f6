import { expect, test } from "@jest/globals";
import { toId } from "../../../../src/kernel/base/ids.ts";
import {
  type LiveSession,
  type SessionMethod,
  toLogin,
} from "../../../../src/identity/logins/sessions/session.ts";
import { listCountedChecks, reachContext } from "../../../../src/sites/saml/login/reached-context.ts";

const minuteMs = 60_000;

/** A session with these checks, so many minutes after its begin. */
function sessionOf(checks: Readonly<Partial<Record<SessionMethod, number>>>): LiveSession {
  const list = Object.entries(checks).map(([method, minutes]) => ({
    method: method as SessionMethod, // a key of the record above
    dateMs: minutes * minuteMs,
  }));
  const session: LiveSession["session"] = {
    id: toId("1"),
    details: { sequence: 0, creationDate: 0, resourceOwner: toId("3") },
    state: "ACTIVE",
    userId: toId("2"),
    checks: list,
    userAgent: "",
    remoteAddress: "",
    expirationMs: 0,
  };
  return { session, user: { id: toId("2"), organizationId: toId("3"), lockCount: 0 }, ...toLogin(list) };
}

const forced = (minutes: number) => ({ request: { isForceAuthn: true }, requestMs: minutes * minuteMs });
const unforced = { request: { isForceAuthn: false }, requestMs: 60 * minuteMs };

test("what was proved before a request with ForceAuthn does not count", () => {
  const session = sessionOf({ PASSWORD: 10, TOTP: 5 });
  const methodsOf = (asked: Parameters<typeof listCountedChecks>[1]) =>
    listCountedChecks(session, asked).map(({ method }) => method);
  expect(methodsOf(unforced)).toEqual(["PASSWORD", "TOTP"]);
  expect(methodsOf({ request: undefined, requestMs: 60 * minuteMs })).toEqual(["PASSWORD", "TOTP"]);
  expect(methodsOf(forced(10))).toEqual(["PASSWORD"]);
  expect(methodsOf(forced(5))).toEqual(["PASSWORD", "TOTP"]);
  expect(methodsOf(forced(11))).toEqual([]);
});

test("a session in which nothing that counts was proved is no login", () => {
  expect(() => reachContext([], "urn:own")).toThrow("AuthnFailed");
  expect(() => reachContext([{ method: "TOTP", dateMs: 0 }], "urn:own")).toThrow("AuthnFailed");
});

test("two factors are a second one of ours, or a passkey, and the instants are those of the checks", () => {
  const reach = (checks: Readonly<Partial<Record<SessionMethod, number>>>) =>
    reachContext(listCountedChecks(sessionOf(checks), unforced), "urn:own");
  expect(reach({ PASSWORD: 1 })).toEqual({
    level: 1,
    authority: undefined,
    firstFactorMs: minuteMs,
    lastFactorMs: minuteMs,
  });
  expect(reach({ PASSWORD: 1, U2F: 3 })).toMatchObject({
    level: 2,
    firstFactorMs: minuteMs,
    lastFactorMs: 3 * minuteMs,
  });
  expect(reach({ PASSKEY: 1 })).toMatchObject({ level: 2, authority: undefined });
  expect(reach({ IDP: 1 })).toMatchObject({ level: 1, authority: "urn:own" });
  expect(reach({ IDP: 1, TOTP: 2 })).toMatchObject({ level: 2, authority: "urn:own" });
  expect(reach({ IDP: 1, PASSWORD: 2 })).toMatchObject({ level: 1, authority: undefined });
});
