import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { createdDetails } from "../../../src/kernel/base/details.ts";
import { type IdentityProviderId, toId } from "../../../src/kernel/base/ids.ts";
import { type IdentityProvider, updateJwt } from "../../../src/identity/providers/identity-provider.ts";
import { checkScopes, toUniqueScopes } from "../../../src/identity/providers/oidc.ts";
import { identityProviderSettings, jwtSource } from "../../support/samples.ts";

const source = jwtSource();
const provider = (config: IdentityProvider["config"]): IdentityProvider => ({
  id: toId<IdentityProviderId>("1"),
  details: createdDetails(1, "10"),
  state: "ACTIVE",
  ...identityProviderSettings(),
  config,
});

describe("updateJwt", () => {
  const jwt = provider({ kind: "jwt", ...source, audiences: ["a"] });

  test("records nothing when nothing changes", () => {
    expect(updateJwt(jwt, source)).toEqual([]);
  });

  test.each(Object.keys(source))("records an event when %s alone changes", (key) => {
    expect(updateJwt(jwt, { ...source, [key]: "" })).toMatchObject([
      { type: "identity_provider.jwt.changed", aggregateId: "1", resourceOwner: "10" },
    ]);
  });

  test("can be used on an inactive provider", () => {
    expect(updateJwt({ ...jwt, state: "INACTIVE" }, { ...source, issuer: "j" })).toHaveLength(1);
  });

  test("refuses another kind, even when nothing would change", () => {
    const oidc = provider({
      kind: "oidc",
      clientId: "c",
      clientSecretId: "client-secret:1",
      issuer: "i",
      scopes: [],
      displayNameMapping: "",
      usernameMapping: "",
    });
    expect(() => updateJwt(oidc, source)).toThrow(expect.objectContaining({ reason: "WRONG_KIND" }));
  });
});

describe("scopes", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `scope-${index}`);

  test("keep the order in which each came first, each once", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "c", "")), (scopes) => {
        const unique = toUniqueScopes(scopes);
        expect(unique).toEqual(scopes.filter((scope, index) => scopes.indexOf(scope) === index));
      }),
    );
  });

  test("may be 50 different ones, however often repeated", () => {
    expect(checkScopes("scopes", [...many(50), ...many(50)])).toEqual([]);
  });

  test("may not be 51 different ones", () => {
    expect(checkScopes("scopes", many(51))).toMatchObject([{ field: "scopes" }]);
  });

  test("leave a list of more than 1,000 to the rule of the proto", () => {
    expect(checkScopes("scopes", many(1000))).toHaveLength(1);
    expect(checkScopes("scopes", many(1001))).toEqual([]);
  });
});
