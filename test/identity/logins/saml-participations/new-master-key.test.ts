import { afterEach, beforeEach, expect, test } from "@jest/globals";
import {
  type ApplicationId,
  type OrganizationId,
  type SessionId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import {
  createKeyring,
  type Keyring,
  newMasterKeyText,
  parseMasterKeys,
} from "../../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import {
  listNamesOfSessions,
  putParticipation,
} from "../../../../src/identity/logins/saml-participations/repository.ts";
import {
  beforeAllNames,
  countSamlNamesByKey,
  type NamePosition,
  resealSamlNames,
} from "../../../../src/identity/logins/saml-participations/reseal-repository.ts";
import {
  createParticipation,
  openNameId,
} from "../../../../src/identity/logins/saml-participations/saml-participation.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";

// What a rotation of the master key does to names in SAML sessions.

let fixture: FeatureFixture;
/** The key of the fixture, a new one before it, and the new one alone. */
let old: Keyring;
let both: Keyring;
let next: Keyring;
beforeEach(async () => {
  fixture = await openFeatureFixture();
  const { masterKeyText } = fixture;
  const text = newMasterKeyText(systemRandom);
  const keyringOf = (keys: string) => createKeyring(parseMasterKeys(keys), systemRandom);
  [old, both, next] = [fixture.context.keyring, keyringOf(text + masterKeyText), keyringOf(text)];
});
afterEach(() => fixture.close());

const sessionOf = (at: number) => toId<SessionId>(String(10_000 + at));

/** Stores names of an application, each in a session of its own. */
async function put(
  keyring: Keyring,
  count: number,
  { applicationId = "1", value = "_", expirationMs = 1000 } = {},
): Promise<void> {
  await fixture.database.write(async (tx) => {
    for (let at = 0; at < count; at += 1) {
      const participation = createParticipation(keyring, {
        sessionId: sessionOf(at),
        applicationId: toId<ApplicationId>(applicationId),
        userId: toId<UserId>("2"),
        userOrganizationId: toId<OrganizationId>("3"),
        applicationOrganizationId: toId<OrganizationId>("3"),
        sessionIndex: "_index",
        authenticationDateMs: 1,
        expirationMs,
        nameId: { format: "PERSISTENT", value: `${value}${at}` },
      });
      await putParticipation(tx, participation);
    }
  });
}

const reseal = (after: NamePosition = beforeAllNames) =>
  fixture.database.write((tx) => resealSamlNames(tx, both, after));
const needs = (nowMs = 0) =>
  fixture.database.read(async (tx) => Object.fromEntries(await countSamlNamesByKey(tx, nowMs)));

/** The names in the first sessions, as whoever has these keys reads them. */
async function namesBy(keyring: Keyring, count: number): Promise<readonly (string | undefined)[]> {
  const ids = Array.from({ length: count }, (_each, at) => sessionOf(at));
  const found = await fixture.database.read((tx) => listNamesOfSessions(tx, ids));
  return found.map((each) => openNameId(keyring, each)?.value);
}

test("names come under the new key, and whoever has no other one reads them", async () => {
  await put(old, 2);
  await put(old, 1, { applicationId: "0", value: "another " });
  await put(old, 1, { value: "further " });
  expect(await reseal()).toEqual({ count: 4, last: undefined });
  expect(await needs()).toEqual({ [next.sealingKeyId]: 4 });
  expect(await namesBy(next, 2)).toEqual(["another 0", "further 0", "_0", "_1"]);
  expect(await namesBy(old, 2)).toEqual(Array(4).fill(undefined));
});

test("names need their key until their time is over", async () => {
  await put(old, 1);
  await put(old, 1, { applicationId: "0", expirationMs: 2000 });
  expect(await needs(999)).toEqual({ [old.sealingKeyId]: 2 });
  expect(await needs(1000)).toEqual({ [old.sealingKeyId]: 1 });
  expect(await needs(2000)).toEqual({});
});

test("nothing else of a participation changes", async () => {
  await put(old, 2);
  const rest = async () => {
    const { saml_participations: rows = [] } = await fixture.place.raw.dump();
    const isKept = ([column]: readonly [string, unknown]) => column !== "key_id" && column !== "name_id";
    return rows.map((row) => Object.entries(row).filter(isKept));
  };
  const before = await rest();
  await reseal();
  expect(await rest()).toEqual(before);
  expect(before).toHaveLength(2);
});

test("many names come portion by portion, and what a kill has left is done by the next walk alone", async () => {
  await put(old, 1001);
  const first = await reseal();
  expect(first).toMatchObject({ count: 500 });
  expect(await needs()).toEqual({ [next.sealingKeyId]: 500, [old.sealingKeyId]: 501 });
  expect(await reseal()).toEqual({ count: 0, last: first.last });
  const second = await reseal(first.last);
  expect(second).toMatchObject({ count: 500 });
  expect(await reseal(second.last)).toEqual({ count: 1, last: undefined });
  expect(await needs()).toEqual({ [next.sealingKeyId]: 1001 });
  expect(await namesBy(next, 1001)).toEqual(Array.from({ length: 1001 }, (_each, at) => `_${at}`));
});

test("a portion that ends with the last name is followed by an empty one", async () => {
  await put(old, 500);
  const { last } = await reseal();
  expect(await reseal(last)).toEqual({ count: 0, last: undefined });
});

test("a name that nobody can open stays, and keeps no other one from the new key", async () => {
  const lost = createKeyring(parseMasterKeys(newMasterKeyText(systemRandom)), systemRandom);
  await put(lost, 1);
  await put(old, 1, { value: "changed " });
  await fixture.database.write((tx) =>
    tx.run("UPDATE saml_participations SET session_id = '0' WHERE key_id = ?", [old.sealingKeyId]),
  );
  await put(old, 2, { applicationId: "2" });
  expect(await reseal()).toEqual({ count: 2, last: undefined });
  expect(await needs()).toEqual({ [lost.sealingKeyId]: 1, [old.sealingKeyId]: 1, [next.sealingKeyId]: 2 });
  expect(await namesBy(next, 2)).toEqual([undefined, "_0", "_1"]);
});
