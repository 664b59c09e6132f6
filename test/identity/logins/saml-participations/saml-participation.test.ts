import { expect, test } from "@jest/globals";
import {
  type ApplicationId,
  type OrganizationId,
  type SessionId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import type { SamlNameIdFormat } from "../../../../src/identity/applications/saml/saml-settings.ts";
import {
  createParticipation,
  mustRepeatName,
  repeatName,
  type SamlNameId,
} from "../../../../src/identity/logins/saml-participations/saml-participation.ts";

const newKeyring = () => createKeyring(parseMasterKeys(newMasterKeyText(systemRandom)), systemRandom);
const keyring = newKeyring();
const nameOf = (format: SamlNameIdFormat, value: string): SamlNameId => ({ format, value });

const last = createParticipation(keyring, {
  sessionId: toId<SessionId>("1"),
  applicationId: toId<ApplicationId>("2"),
  userId: toId<UserId>("3"),
  userOrganizationId: toId<OrganizationId>("4"),
  applicationOrganizationId: toId<OrganizationId>("5"),
  sessionIndex: "_index",
  authenticationDateMs: 1,
  expirationMs: 2,
  nameId: nameOf("TRANSIENT", "_last"),
});

test("a transient name is new until a hundred have been given, and then the last of them again", () => {
  expect([0, 1, 99, 100, 101].map((count) => mustRepeatName("TRANSIENT", count))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
  const next = { ...nameOf("TRANSIENT", "_next"), spNameQualifier: "sp" };
  expect(repeatName(keyring, last, next)).toEqual({ ...next, value: "_last" });
});

test("a name of another format is given as it is", () => {
  for (const format of ["PERSISTENT", "EMAIL_ADDRESS", "USERNAME"] as const)
    expect(mustRepeatName(format, 1000)).toBe(false);
});

test("a transient name that nobody can read any more is not given again", () => {
  expect(repeatName(newKeyring(), last, nameOf("TRANSIENT", "_next"))).toBeUndefined();
});
