import { describe, expect, test } from "@jest/globals";
import { type ApplicationId, type OrganizationId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { LoginRequest } from "../../../src/sites/login/login-request.ts";
import { maySessionCount } from "../../../src/sites/login/session-use.ts";

const user = { id: toId<UserId>("1"), organizationId: toId<OrganizationId>("2"), lockCount: 0 };
const plain: LoginRequest = {
  protocol: "oidc",
  applicationId: toId<ApplicationId>("3"),
  organizationId: undefined,
  prompts: [],
  maxAgeSeconds: undefined,
  loginHint: undefined,
  uiLocales: [],
  wantsMfa: false,
  subject: undefined,
  scopes: ["openid"],
  data: {},
};
const counts = (request: Partial<LoginRequest>, ageMs = 5000) =>
  maySessionCount({ user, authTimeMs: 1000 }, { ...plain, ...request }, 1000 + ageMs);

describe("a session (OpenID Connect Core §3.1.2.1)", () => {
  test.each([
    ["prompt=login", { prompts: ["login"] }, 0],
    ["max_age=0", { maxAgeSeconds: 0 }, 0],
    ["a smaller max_age", { maxAgeSeconds: 4 }, 5000],
    ["another subject", { subject: "9" }, 0],
  ] as const)("does not suffice for %s", (_name, request, ageMs) => {
    expect(counts(request, ageMs)).toBe(false);
  });

  test("suffices for a plain request, and for a max_age that is not over", () => {
    expect(counts({})).toBe(true);
    expect(counts({ maxAgeSeconds: 5 })).toBe(true);
    expect(counts({ subject: user.id })).toBe(true);
  });
});
