import { expect, test } from "@jest/globals";
import {
  type ApplicationId,
  type OrganizationId,
  type SessionId,
  toId,
  type UserId,
} from "../../../src/base/ids.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../../../src/base/keyring.ts";
import { systemRandom } from "../../../src/base/random.ts";
import type { SamlNameIdFormat } from "../../../src/features/applications/saml/saml-settings.ts";
import {
  createParticipation,
  repeatName,
  type SamlNameId,
} from "../../../src/features/saml-participations/saml-participation.ts";

const newKeyring = () => createKeyring(parseMasterKeys(newMasterKeyText(systemRandom)), systemRandom);
const keyring = newKeyring();
const nameOf = (format: SamlNameIdFormat, value: string): SamlNameId => ({ format, value });

/** Makes what the application got in a session: names of that format, the last first. */
const given = (format: SamlNameIdFormat, ...values: readonly string[]) =>
  values.map((value) =>
    createParticipation(keyring, {
      sessionId: toId<SessionId>("1"),
      applicationId: toId<ApplicationId>("2"),
      userId: toId<UserId>("3"),
      userOrganizationId: toId<OrganizationId>("4"),
      applicationOrganizationId: toId<OrganizationId>("5"),
      sessionIndex: "_index",
      authenticationDateMs: 1,
      expirationMs: 2,
      nameId: nameOf(format, value),
    }),
  );
const four = given("TRANSIENT", "_d", "_c", "_b", "_a");

test("a transient name is new until four have been given, and then the last of them again", () => {
  const next = { ...nameOf("TRANSIENT", "_e"), spNameQualifier: "sp" };
  expect(repeatName(keyring, four.slice(1), next)).toBeUndefined();
  expect(repeatName(keyring, [...given("PERSISTENT", "p"), ...four.slice(1)], next)).toBeUndefined();
  expect(repeatName(keyring, four, next)).toEqual({ ...next, value: "_d" });
  expect(repeatName(keyring, [...given("PERSISTENT", "p"), ...four], next)).toEqual({ ...next, value: "_d" });
});

test("a name of another format is given as it is", () => {
  for (const format of ["PERSISTENT", "EMAIL_ADDRESS", "USERNAME"] as const)
    expect(
      repeatName(keyring, [...given(format, "c", "b", "a"), ...four], nameOf(format, "d")),
    ).toBeUndefined();
});

test("a transient name that nobody can read any more is not given again", () => {
  expect(repeatName(newKeyring(), four, nameOf("TRANSIENT", "_e"))).toBeUndefined();
});
