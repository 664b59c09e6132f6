import { describe, expect, test } from "@jest/globals";
import { createdDetails } from "../../../src/kernel/base/details.ts";
import { type IdentityProviderId, toId } from "../../../src/kernel/base/ids.ts";
import { type IdentityProvider, updateJwt } from "../../../src/identity/providers/identity-provider.ts";
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

  test.each(Object.keys(source))("records an event when %s alone changes", (key) => {
    expect(updateJwt(jwt, { ...source, [key]: "" })).toMatchObject([
      { type: "identity_provider.jwt.changed", aggregateId: "1", resourceOwner: "10" },
    ]);
  });

  test("can be used on an inactive provider", () => {
    expect(updateJwt({ ...jwt, state: "INACTIVE" }, { ...source, issuer: "j" })).toHaveLength(1);
  });
});
