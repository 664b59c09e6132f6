import { expect, test } from "@jest/globals";
import { type AuthorizationId, type TokenId, toId } from "../../../../src/kernel/base/ids.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import {
  hashAccessToken,
  newJwtId,
  parseJwtId,
} from "../../../../src/identity/logins/access-tokens/access-token.ts";

const rests = [
  { basis: { kind: "credential", credentialId: toId<TokenId>("123") }, lockCount: 0, exchanges: [] },
  {
    basis: { kind: "authorization", authorizationId: toId<AuthorizationId>("456"), generation: 7 },
    lockCount: 2,
    exchanges: [
      { clientId: "7", subjectHash: hashAccessToken("one") },
      { clientId: "78", subjectHash: hashAccessToken("another") },
    ],
  },
] as const;

test.each(rests)("the id of a JWT says that it rests on $basis.kind", (on) => {
  const id = newJwtId(on, systemRandom);
  expect(parseJwtId(id)).toEqual(on);
  expect(newJwtId(on, systemRandom)).not.toBe(id);
});

test.each(["", "a456.0.x", "456-0.0.", "a0-0.0.", "ab-0.0.", "a456-.0.", "123-1.0.", "A456-0.0."])(
  "an id that begins with %p is none of ours",
  (start) => {
    expect(parseJwtId(`${start}${"x".repeat(22)}`)).toBeUndefined();
  },
);
