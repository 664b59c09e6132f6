import { describe, expect, test } from "@jest/globals";
import { type SessionId, toId } from "../../../../src/kernel/base/ids.ts";
import {
  chooseClient,
  decideLogout,
  toLogoutHint,
} from "../../../../src/sites/oidc/logout/logout-request.ts";

const session = { id: toId<SessionId>("5") };
const request = { sessionId: undefined, target: undefined, uiLocales: [] };

describe("a logout (OpenID Connect RP-Initiated Logout 1.0 §2)", () => {
  test("asks unless the hint is of this very session", () => {
    expect(decideLogout(request, session)).toBe("ask");
    expect(decideLogout({ ...request, sessionId: "6" }, session)).toBe("ask");
    expect(decideLogout({ ...request, sessionId: "5" }, session)).toBe("end");
  });

  test("has nothing to end without a session", () => {
    expect(decideLogout(request, undefined)).toBe("go-on");
    expect(decideLogout({ ...request, sessionId: "5" }, undefined)).toBe("go-on");
  });

  test("is of the client of the hint, or of the one that names itself", () => {
    const hint = { clientId: "1", sessionId: undefined };
    expect(chooseClient(hint, undefined)).toEqual({ id: "1" });
    expect(chooseClient(hint, "1")).toEqual({ id: "1" });
    expect(chooseClient(undefined, "2")).toEqual({ id: "2" });
    expect(chooseClient(hint, "2")).toBe("conflict");
    expect(chooseClient(undefined, undefined)).toEqual({ id: undefined });
  });

  test("takes no hint of several audiences", () => {
    expect(toLogoutHint({ aud: ["1"], sid: "5" })).toBeUndefined();
    expect(toLogoutHint({ aud: "1", sid: "5" })).toEqual({ clientId: "1", sessionId: "5" });
  });
});
