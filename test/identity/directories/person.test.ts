import { describe, expect, test } from "@jest/globals";
import { toLdapConfig } from "../../../src/identity/providers/ldap.ts";
import { readPerson } from "../../../src/identity/directories/person.ts";
import type { AttributeValue } from "../../../src/kernel/base/directory/entry.ts";
import { ldapPayload } from "../../support/samples.ts";

const nowMs = Date.UTC(2026, 0, 1);
const uuid = "597AE2F6-16A6-1027-98F4-D28B5365DC14";

function read(
  attributes: Readonly<Record<string, readonly AttributeValue[]>>,
  config: Partial<typeof ldapPayload> = {},
  partial: readonly string[] = [],
) {
  const entry = { dn: "uid=ada", attributes: new Map(Object.entries(attributes)), partial: new Set(partial) };
  return readPerson(toLdapConfig({ ...ldapPayload, ...config }), entry, nowMs);
}

describe("an entry is named by", () => {
  test("its entryUUID, whatever its case", () => {
    expect(read({ entryuuid: [uuid], objectguid: [new Uint8Array(16)] })?.subject).toBe(uuid.toLowerCase());
  });

  test("its objectGUID, as Microsoft writes it", () => {
    const bytes = Buffer.from("0f1e2d3c4b5a69788796a5b4c3d2e1f0", "hex");
    expect(read({ objectguid: [new Uint8Array(bytes)] })?.subject).toBe(
      "3c2d1e0f-5a4b-7869-8796-a5b4c3d2e1f0",
    );
  });

  test("an objectGUID whose bytes happen to be text", () => {
    expect(read({ objectguid: ["abcdefghijklmnop"] })?.subject).toBe("64636261-6665-6867-696a-6b6c6d6e6f70");
  });

  test("the attribute of the configuration, exactly", () => {
    const config = { id_attribute: "employeeNumber" };
    expect(read({ employeenumber: ["A 1"], entryuuid: [uuid] }, config)?.subject).toBe("A 1");
  });

  test.each([
    ["nothing", {}],
    ["several values", { employeenumber: ["1", "2"] }],
    ["too long a value", { employeenumber: ["1".repeat(256)] }],
    ["bytes", { employeenumber: [new Uint8Array([255])] }],
  ])("nothing if it has %s", (_name, attributes) => {
    expect(read({ ...attributes, entryuuid: [uuid] }, { id_attribute: "employeeNumber" })).toBeUndefined();
  });
});

test("names lose what is invisible, and texts that nobody can have are left out", () => {
  const person = read({
    entryuuid: [uuid],
    givenname: ["A\u202Eda"],
    sn: ["x".repeat(501)],
    mail: ["a\u0000@example.org", "ada@example.org"],
  });
  expect(person).toMatchObject({ givenName: "Ada", familyName: undefined, email: "ada@example.org" });
});

test("groups of which the directory names a part only are none that it says", () => {
  expect(read({ entryuuid: [uuid], memberof: ["CN=A,DC=x", "no DN"] })?.groupDns).toHaveLength(1);
  expect(read({ entryuuid: [uuid], memberof: [] }, {}, ["memberof"])?.groupDns).toBeUndefined();
});

test.each([
  ["userAccountControl", "512", true],
  ["userAccountControl", "66050", false],
  ["accountExpires", "0", true],
  ["accountExpires", "9223372036854775807", true],
  ["accountExpires", "134000000000000000", false],
  ["accountExpires", "135000000000000000", true],
  ["nsAccountLock", "true", false],
  ["loginDisabled", "FALSE", true],
  ["pwdAccountLockedTime", "000001010000Z", false],
  ["pwdAccountLockedTime", "20250101000000Z", true],
])("%s %s lets in: %s", (attribute, value, isEnabled) => {
  expect(read({ entryuuid: [uuid], [attribute.toLowerCase()]: [value] })?.isEnabled).toBe(isEnabled);
});
