import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../../src/kernel/base/ids.ts";
import {
  type CreationOptions,
  type RegistrationChoices,
  registerInSoftware,
} from "../../../support/software-authenticator.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf, problemOf } from "../../../support/problems.ts";

const minute = 60_000;
let fixture: Fixture;
let userId: UserId;

beforeEach(async () => {
  fixture = await openFixture();
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

const register = (domain = "", id: string = userId) =>
  fixture.commands.u2f.register(fixture.call(), { userId: id, domain });
const verify = (u2fId: string, credential: unknown, id: string = userId) =>
  fixture.commands.u2f.verify(fixture.call(), { userId: id, u2fId, credential, name: "My key" });
const list = (pageToken = "", pageSize = 0) =>
  fixture.commands.u2f.list(fixture.call(), userId, { pageSize, pageToken, countTotal: true });
const answer = (begun: { options: { publicKey: object } }, choices: RegistrationChoices = {}) =>
  registerInSoftware(begun.options as CreationOptions, choices);

describe("a registration that is begun", () => {
  test("gives the browser what it needs", async () => {
    const { options } = await register();
    expect(options.publicKey).toMatchObject({
      rp: { id: "localhost", name: "Gatehouse" },
      user: { id: Buffer.from(userId).toString("base64url"), name: "ada", displayName: "Ada Lovelace" },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: "public-key" })),
      timeout: 5 * minute,
      attestation: "none",
      excludeCredentials: [],
      authenticatorSelection: { residentKey: "discouraged", userVerification: "discouraged" },
    });
    const { challenge } = (options as CreationOptions).publicKey;
    expect(Buffer.from(challenge, "base64url")).toHaveLength(32);
  });

  test("shows as a factor that is not ready, with details of its own", async () => {
    const before = await fixture.commands.get(fixture.call(), userId);
    const { id, details } = await register("example.com");
    const { page } = await list();
    expect(page.items).toEqual([
      { id, details, userId, type: "U2F", state: "NOT_READY", domain: "example.com", name: "" },
    ]);
    expect((await fixture.commands.get(fixture.call(), userId)).details).toEqual(before.details);
  });

  test("leaves out the tokens that the user has, and only theirs", async () => {
    const first = await register();
    const credential = answer(first);
    await verify(first.id, credential);
    const other = await fixture.addHuman("other");
    expect((await register()).options.publicKey).toMatchObject({
      excludeCredentials: [{ id: credential.id, type: "public-key" }],
    });
    expect((await register("", other)).options.publicKey).toMatchObject({ excludeCredentials: [] });
  });

  test("needs a configured domain", async () => {
    const problem = await problemOf(register("evil.example"));
    expect(problem.reason).toBe("FIELD_INVALID");
    expect(problem.violations.map(({ field }) => field)).toEqual(["domain"]);
  });

  test("needs a relying party", async () => {
    await fixture.close();
    fixture = await openFixture({ relyingParties: { list: [] } });
    userId = await fixture.addHuman();
    expect(await outcomeOf(register())).toBe("U2F_NOT_CONFIGURED");
  });

  test("is for human users that exist", async () => {
    expect(await outcomeOf(register("", fixture.administrator.userId))).toBe("WRONG_KIND");
    expect(await outcomeOf(register("", "1"))).toBe("NOT_FOUND");
  });

  test("stores the challenge encrypted, and bound to user and registration", async () => {
    const first = await register();
    const second = await register();
    const { challenge } = (first.options as CreationOptions).publicKey;
    const secrets = await fixture.read((tx) => tx.all<{ value: Buffer }>("SELECT value FROM secrets"));
    expect(secrets.map(({ value }) => value.toString("latin1")).join("")).not.toContain(challenge);
    await fixture.context.database.write((tx) =>
      tx.run("UPDATE secrets SET value = (SELECT value FROM secrets WHERE id = ?) WHERE id = ?", [
        `u2f-challenge:${first.id}`,
        `u2f-challenge:${second.id}`,
      ]),
    );
    await expect(verify(second.id, answer(first))).rejects.toThrow("authenticate data");
  });
});

describe("a registration is completed", () => {
  test.each(["none", "packed", "packed-x5c", "fido-u2f"] as const)(
    "with a token of the format %s",
    async (format) => {
      const begun = await register();
      const details = await verify(begun.id, answer(begun, { format }));
      const { page } = await list();
      expect(page.items).toEqual([
        { id: begun.id, details, userId, type: "U2F", state: "READY", domain: "localhost", name: "My key" },
      ]);
      expect(details.sequence).toBeGreaterThan(begun.details.sequence);
      expect(details.creationDate).toBe(begun.details.creationDate);
    },
  );

  test("on the domain that it was begun for", async () => {
    const begun = await register("example.com");
    expect(await outcomeOf(verify(begun.id, answer(begun, { origin: "http://localhost:3000" })))).toBe(
      "U2F_ORIGIN_INVALID",
    );
    expect(await outcomeOf(verify(begun.id, answer(begun, { rpId: "localhost" })))).toBe("U2F_RP_ID_INVALID");
    expect(await outcomeOf(verify(begun.id, answer(begun)))).toBe("ok");
  });

  test("after failed tries, which leave the challenge usable", async () => {
    const begun = await register();
    expect(await outcomeOf(verify(begun.id, {}))).toBe("U2F_CREDENTIAL_MALFORMED");
    expect(await outcomeOf(verify(begun.id, answer(begun, { flags: 0x40 })))).toBe(
      "U2F_USER_PRESENCE_MISSING",
    );
    expect(await outcomeOf(verify(begun.id, answer(begun)))).toBe("ok");
  });

  test("once: a replay is refused, and the challenge is gone", async () => {
    const begun = await register();
    const credential = answer(begun);
    await verify(begun.id, credential);
    expect(await outcomeOf(verify(begun.id, credential))).toBe("U2F_ALREADY_VERIFIED");
    expect(
      await fixture.read((tx) => tx.all("SELECT id FROM secrets WHERE id LIKE 'u2f-challenge:%'")),
    ).toEqual([]);
  });

  test("once, when 16 try at the same time", async () => {
    const begun = await register();
    const attempts = Array.from({ length: 16 }, () => outcomeOf(verify(begun.id, answer(begun))));
    const outcomes = await Promise.all(attempts);
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "U2F_ALREADY_VERIFIED")).toHaveLength(15);
  });

  test("within 5 minutes", async () => {
    const begun = await register();
    fixture.clock.advance(5 * minute - 1);
    expect(await outcomeOf(verify(begun.id, {}))).toBe("U2F_CREDENTIAL_MALFORMED");
    fixture.clock.advance(1);
    expect(await outcomeOf(verify(begun.id, answer(begun)))).toBe("U2F_EXPIRED");
  });
});

describe("a registration is refused", () => {
  test("when it is unknown, or another user's", async () => {
    const begun = await register();
    const other = await fixture.addHuman("other");
    const problem = await problemOf(verify(begun.id, answer(begun), other));
    expect(problem.reason).toBe("NOT_FOUND");
    expect(problem.resource).toEqual({ type: "second_factor", name: begun.id });
    expect(await outcomeOf(verify("1", {}))).toBe("NOT_FOUND");
    expect(await outcomeOf(verify(begun.id, answer(begun), "1"))).toBe("NOT_FOUND");
  });

  test("with the answer to another registration", async () => {
    const first = await register();
    const second = await register();
    expect(await outcomeOf(verify(second.id, answer(first)))).toBe("U2F_CHALLENGE_INVALID");
  });

  test("when the credential id is registered for anyone", async () => {
    const credentialId = new Uint8Array(16).fill(3);
    const first = await register();
    await verify(first.id, answer(first, { credentialId }));
    const other = await fixture.addHuman("other");
    const second = await register("", other);
    const problem = await problemOf(verify(second.id, answer(second, { credentialId }), other));
    expect(problem.reason).toBe("ALREADY_EXISTS");
    expect(problem.resource).toEqual({
      type: "second_factor",
      name: Buffer.from(credentialId).toString("base64url"),
    });
    expect(await outcomeOf(verify(second.id, answer(second), other))).toBe("ok");
  });

  test("when its relying party is no longer configured", async () => {
    const begun = await register("example.com");
    fixture = await fixture.reopen({ relyingParties: { list: [] } });
    expect(await outcomeOf(verify(begun.id, answer(begun)))).toBe("U2F_NOT_CONFIGURED");
  });
});
