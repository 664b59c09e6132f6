import { expect, test } from "@jest/globals";
import { requestOptions } from "../../../../src/identity/factors/second-factors/login.ts";

test("a browser is asked for the tokens of the user, and not for user verification", () => {
  const party = { id: "example.com", origins: ["https://example.com"] };
  expect(requestOptions(party, [{ credentialId: "AA" }, { credentialId: "BB" }], "CC")).toEqual({
    challenge: "CC",
    timeout: 300_000,
    rpId: "example.com",
    allowCredentials: [
      { type: "public-key", id: "AA" },
      { type: "public-key", id: "BB" },
    ],
    userVerification: "discouraged",
  });
});
