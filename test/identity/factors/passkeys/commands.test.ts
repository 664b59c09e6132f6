import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../../src/kernel/base/ids.ts";
import {
  type CreationOptions,
  passkeyFlags,
  type RegistrationChoices,
  registerInSoftware,
} from "../../../support/software-authenticator.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf, problemOf } from "../../../support/problems.ts";

// What passkeys share with u2f tokens is tested there; here stands what is different.

let fixture: Fixture;
let userId: UserId;

beforeEach(async () => {
  fixture = await openFixture();
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

type Begun = Awaited<ReturnType<typeof register>>;
const register = (domain = "", id: string = userId) =>
  fixture.commands.passkeys.register(fixture.call(), { userId: id, domain });
const verify = (begun: Begun, choices: RegistrationChoices = {}) =>
  fixture.commands.passkeys.verify(fixture.call(), {
    userId,
    id: begun.id,
    credential: registerInSoftware(begun.options as CreationOptions, { flags: passkeyFlags, ...choices }),
    name: "Phone",
  });
const list = async () => {
  const page = { pageSize: 0, pageToken: "", countTotal: false };
  return (await fixture.commands.passkeys.list(fixture.call(), userId, page)).page.items;
};

/** Registers the credential as a u2f token. */
async function registerAsFactor(choices: RegistrationChoices) {
  const { u2f } = fixture.commands;
  const begun = await u2f.register(fixture.call(), { userId, domain: "" });
  const credential = registerInSoftware(begun.options as CreationOptions, choices);
  return await u2f.verify(fixture.call(), { userId, u2fId: begun.id, credential, name: "Key" });
}

const credentialId = new Uint8Array(16).fill(5);
const idText = Buffer.from(credentialId).toString("base64url");

describe("the registration of a passkey", () => {
  test("asks for one that the device finds by itself, that verifies its user, and that names them by their id", async () => {
    const { options } = await register();
    expect(options.publicKey).toMatchObject({
      rp: { id: "localhost" },
      user: { id: Buffer.from(userId).toString("base64url"), name: "ada" },
      attestation: "none",
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: "required",
        requireResidentKey: true,
        userVerification: "required",
      },
    });
  });

  test.each([
    ["that stays on its device", 0x45, false],
    ["that may be copied", 0x4d, false],
    ["that was copied", 0x5d, true],
  ])("takes one %s", async (_name, flags, isBackedUp) => {
    const begun = await register();
    const details = await verify(begun, { flags });
    const ready = { id: begun.id, details, userId, state: "READY", domain: "localhost", name: "Phone" };
    expect(await list()).toEqual([{ ...ready, isBackedUp }]);
  });

  test("takes none that has not verified its user, until it does", async () => {
    const begun = await register();
    expect(await outcomeOf(verify(begun, { flags: 0x41 }))).toBe("U2F_USER_VERIFICATION_MISSING");
    expect(await list()).toMatchObject([{ state: "NOT_READY" }]);
    expect(await outcomeOf(verify(begun))).toBe("ok");
  });

  test("stays out of the second factors, and a second factor out of it", async () => {
    const begun = await register();
    await verify(begun);
    const { u2f, passkeys } = fixture.commands;
    const page = { pageSize: 0, pageToken: "", countTotal: false };
    expect((await u2f.list(fixture.call(), userId, page)).page.items).toEqual([]);
    expect(await outcomeOf(u2f.remove(fixture.call(), { userId, u2fId: begun.id }))).toBe("NOT_FOUND");
    const factor = await u2f.register(fixture.call(), { userId, domain: "" });
    const asPasskey = { userId, id: factor.id };
    expect(await outcomeOf(passkeys.remove(fixture.call(), asPasskey))).toBe("NOT_FOUND");
    const credential = registerInSoftware(factor.options as CreationOptions, { flags: passkeyFlags });
    const tried = passkeys.verify(fixture.call(), { ...asPasskey, credential, name: "Phone" });
    expect((await problemOf(tried)).resource).toEqual({ type: "passkey", name: factor.id });
  });

  test("refuses a credential that is registered already, as a passkey or as a u2f token", async () => {
    await verify(await register(), { credentialId });
    expect(await outcomeOf(verify(await register(), { credentialId }))).toBe("ALREADY_EXISTS");
    expect(await outcomeOf(registerAsFactor({ credentialId }))).toBe("ALREADY_EXISTS");
    const other = new Uint8Array(16).fill(6);
    await registerAsFactor({ credentialId: other });
    const problem = await problemOf(verify(await register(), { credentialId: other }));
    expect(problem.reason).toBe("ALREADY_EXISTS");
    expect(problem.resource?.type).toBe("passkey");
  });

  test("leaves out devices that have one; a security key may become one, but no passkey a security key", async () => {
    await registerAsFactor({});
    await verify(await register(), { credentialId });
    expect((await register()).options.publicKey).toMatchObject({ excludeCredentials: [{ id: idText }] });
    const u2f = await fixture.commands.u2f.register(fixture.call(), { userId, domain: "" });
    expect((u2f.options.publicKey as { excludeCredentials: unknown[] }).excludeCredentials).toHaveLength(2);
  });
});
