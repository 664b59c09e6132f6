import { describe, expect, test } from "@jest/globals";
import { toId } from "../../../../src/kernel/base/ids.ts";
import {
  isMultiFactor,
  type NewSession,
  sessionMethods,
  startSession,
  toLogin,
} from "../../../../src/identity/logins/sessions/session.ts";

const minuteMs = 60_000;
const t = 100 * minuteMs;

describe("the login of a session", () => {
  test("is the last check of a first factor, with what was proved in it and since", () => {
    const checks = [
      { method: "PASSWORD", dateMs: t },
      { method: "U2F", dateMs: t + 2 * minuteMs },
    ] as const;
    expect(toLogin(checks)).toEqual({ authTimeMs: t, methods: ["PASSWORD", "U2F"] });
  });

  test("has no second factor that was proved in an earlier one", () => {
    const checks = [
      { method: "PASSWORD", dateMs: t },
      { method: "U2F", dateMs: t - 15 * minuteMs },
    ] as const;
    expect(toLogin(checks)).toEqual({ authTimeMs: t, methods: ["PASSWORD"] });
  });
});

test("two factors are a second one besides the first, or a passkey", () => {
  const alone = sessionMethods.filter((method) => isMultiFactor([method]));
  expect(alone).toEqual(["U2F", "PASSKEY", "TOTP", "RECOVERY_CODE"]);
  expect(isMultiFactor(["PASSWORD", "IDP"])).toBe(false);
});

test("a session begins with an event, and one more for each factor that counts", () => {
  const session: NewSession = {
    id: toId("1"),
    userId: toId("2"),
    organizationId: toId("3"),
    checks: [
      { method: "PASSWORD" },
      { method: "U2F", factor: { id: toId("4"), counter: 5 } },
      { method: "IDP", issuer: "https://idp.example" },
    ],
    userAgent: "x".repeat(501),
    expirationMs: 0,
  };
  expect(startSession(session).map(({ type, payload }) => [type, payload])).toEqual([
    [
      "session.added",
      {
        user_id: "2",
        methods: ["PASSWORD", "U2F", "IDP"],
        expiration_date: "1970-01-01T00:00:00.000Z",
        user_agent: "x".repeat(500),
      },
    ],
    ["session.checked", { method: "U2F", factor_id: "4", counter: "5" }],
    ["session.checked", { method: "IDP", issuer: "https://idp.example" }],
  ]);
});
