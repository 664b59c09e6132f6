import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type OrganizationId, toId, type UserId } from "../../src/kernel/base/ids.ts";
import { findUserIdByImportedId } from "../../src/identity/people/user/imported-id-repository.ts";
import { createFactorLogins } from "../../src/identity/factors/second-factors/login-commands.ts";
import {
  type AssertionChoices,
  assertInSoftware,
  cosePublicKey,
  makeKeyPair,
} from "../support/software-authenticator.ts";
import { openKeycloak } from "../../src/importing/keycloak/source.ts";
import { openImportGround } from "./support/import-ground.ts";

const { fixture, apply, write } = await openImportGround();
let organization: OrganizationId;
beforeAll(async () => {
  organization = await fixture.addOrganization();
});

const person = (id: string, more: object = {}) => ({
  id,
  username: `name-${id}`,
  firstName: "Ada",
  lastName: "Byron",
  ...more,
});

describe("a security key", () => {
  const keys = makeKeyPair();
  const credentialId = new Uint8Array(randomBytes(32));
  // As Keycloak 26 stores it: the id in base64, the COSE key in base64url (WebAuthnCredentialProvider).
  const credential = (data: object = {}) => ({
    type: "webauthn",
    userLabel: "Blue key",
    secretData: "{}",
    credentialData: JSON.stringify({
      aaguid: "00000000-0000-0000-0000-000000000000",
      credentialId: Buffer.from(credentialId).toString("base64"),
      counter: 3,
      credentialPublicKey: Buffer.from(cosePublicKey(keys.publicKey)).toString("base64url"),
      attestationStatementFormat: "none",
      transports: ["usb"],
      ...data,
    }),
  });
  const bring = async (name: string, users: readonly object[], rpId = "login.example") =>
    await apply(
      organization,
      await openKeycloak(write({ "k.json": JSON.stringify({ realm: name, users }) }), {
        name: undefined,
        keepsSubjects: false,
        rpId: rpId === "" ? undefined : rpId,
      }),
    );

  test("that was registered for the domain of our pages is a second factor; its answer may name the user as before", async () => {
    const users = [person("key-1", { credentials: [credential()] }), person("key-2")];
    const { lines } = await bring("keys", users);
    expect(lines).toContain('+ k.json users[0]: new user "key-1" with security keys');
    const userId = await fixture.database.read((tx) => findUserIdByImportedId(tx, "key-1"));
    const parties = {
      list: [{ id: "login.example", origins: ["https://login.example"] }],
      allowSubdomains: false,
    };
    const logins = createFactorLogins(fixture.context, { ...parties, name: "Gatehouse" });
    const login = {
      issuer: "https://login.example",
      loginId: "login",
      userId: userId ?? toId<UserId>(""),
      methods: ["PASSWORD"],
    };
    const answer = async (choices: Partial<AssertionChoices>) => {
      const options = await logins.begin(login);
      if (options === undefined) throw new Error("the user has no key");
      const made = assertInSoftware(options, { keys, credentialId, ...choices });
      const origin = { editor: login.userId, remoteAddress: undefined, requestId: "test" };
      return (await logins.check(login, made, origin)).kind;
    };
    const handle = (text: string) => Buffer.from(text).toString("base64url");
    expect(await answer({ counter: 4, userHandle: handle("key-1") })).toBe("right");
    expect(await answer({ counter: 4, userHandle: handle(login.userId) })).toBe("right");
    expect(await answer({ counter: 4, userHandle: handle("key-2") })).toBe("wrong");
    expect(await answer({ counter: 3, userHandle: handle("key-1") })).toBe("wrong");
  });

  test("that cannot be used, or is not asked for, is a line of the plan", async () => {
    const other = Buffer.from("another id").toString("base64");
    const users = [
      person("key-3", {
        credentials: [credential({ credentialId: "" }), credential({ credentialPublicKey: "oQ" })],
      }),
      person("key-4", { credentials: [credential({ credentialId: other })] }),
      person("key-5", { credentials: [credential({ credentialId: other })] }),
    ];
    const { lines } = await bring("bad keys", users);
    expect(lines.filter((line) => line.startsWith("!"))).toEqual([
      '! k.json users[0]: user "key-3" comes without 2 security keys that cannot be used here',
      '! k.json users[2]: user "key-5" comes without a security key that another user or record has, too',
    ]);
    const without = await bring("no keys", [person("key-6", { credentials: [credential()] })], "");
    expect(without.lines).toContain(
      '~ k.json users[0]: user "key-6" comes without a security key, which --rp-id brings',
    );
  });
});
