import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../../src/kernel/base/ids.ts";
import { findSecret } from "../../../../src/kernel/events/secret-store.ts";
import { findSecretOfUser } from "../../../../src/identity/programs/secrets/repository.ts";
import { hashToken } from "../../../../src/identity/programs/tokens/token.ts";
import { serviceProfile } from "../../../support/samples.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf } from "../../../support/problems.ts";

let fixture: Fixture;
let userId: UserId;
beforeEach(async () => {
  fixture = await openFixture();
  userId = (await fixture.commands.addService(fixture.call(), serviceProfile())).id;
});
afterEach(() => fixture.close());

const generate = () => fixture.commands.secrets.generate(fixture.call(), userId);
const stored = () => fixture.read((tx) => findSecretOfUser(tx, userId));
const hashOf = (id: string) => fixture.read((tx) => findSecret(tx, `user-secret:${id}`));

describe("the client secret of a service user", () => {
  test("has 256 random bits, of which only a hash is stored", async () => {
    const { clientId, secret, details } = await generate();
    expect(clientId).toBe(userId);
    expect(secret.reveal()).toMatch(/^[\w-]{43}$/);
    const found = await stored();
    expect(found?.details).toEqual(details);
    expect((await hashOf(found?.id ?? ""))?.value).toEqual(new Uint8Array(hashToken(secret.reveal())));
  });

  test("takes the place of the former one, whose hash goes", async () => {
    const first = (await generate()) && (await stored());
    const { secret } = await generate();
    const second = await stored();
    expect(second?.id).not.toBe(first?.id);
    expect(await hashOf(first?.id ?? "")).toBeUndefined();
    expect((await hashOf(second?.id ?? ""))?.value).toEqual(new Uint8Array(hashToken(secret.reveal())));
  });

  test("is removed once", async () => {
    await generate();
    const { id = "" } = (await stored()) ?? {};
    await fixture.commands.secrets.remove(fixture.call(), userId);
    expect(await stored()).toBeUndefined();
    expect(await hashOf(id)).toBeUndefined();
    expect(await outcomeOf(fixture.commands.secrets.remove(fixture.call(), userId))).toBe("NOT_FOUND");
  });

  test("is not for human users", async () => {
    userId = await fixture.addHuman();
    expect(await outcomeOf(generate())).toBe("WRONG_KIND");
  });

  test("goes with its user, and a rebuild keeps it", async () => {
    await generate();
    const before = await stored();
    await fixture.rebuild();
    expect(await stored()).toEqual(before);
    expect(await hashOf(before?.id ?? "")).toBeDefined();
    await fixture.commands.remove(fixture.call(), userId);
    expect(await hashOf(before?.id ?? "")).toBeUndefined();
  });
});
