import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../../src/kernel/base/ids.ts";
import type { HeldRoles } from "../../../../src/kernel/base/permission.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import { toSampleHash } from "../../../../src/identity/people/passwords/encoded-hash.ts";
import { measureHash } from "../../../../src/identity/people/passwords/imported-hash.ts";
import {
  findPasswordHash,
  listDearestHeaders,
} from "../../../../src/identity/people/passwords/repository.ts";
import { engine } from "../../../support/engine/engine.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf } from "../../../support/problems.ts";
import { about, createCountingHasher } from "./ground.ts";

let fixture: Fixture;
let userId: UserId;
let ada: ReturnType<typeof about>;
beforeEach(async () => {
  fixture = await openFixture({ hasher: createCountingHasher() });
  userId = await fixture.addHuman();
  ada = about(fixture, userId);
});
afterEach(() => fixture.close());
const getUser = async () => await fixture.commands.get(fixture.call(), userId);

describe("a hash from elsewhere", () => {
  const setHash = (encoded: string, call = fixture.call()) =>
    fixture.commands.passwords.setHash(call, {
      userId,
      encodedHash: new Secret(encoded),
      isChangeRequired: true,
    });
  const bcrypt = `$2b$10$${"a".repeat(53)}`;

  test("is stored as it is, with the wish for another password", async () => {
    await setHash(bcrypt);
    expect(await fixture.read((tx) => findPasswordHash(tx, userId))).toBe(bcrypt);
    expect(await getUser()).toMatchObject({ hasPassword: true, isPasswordChangeRequired: true });
  });

  test.each(["plain", `$2b$15$${"a".repeat(53)}`, ""])(
    "is refused if it cannot be used: %p",
    async (encoded) => {
      expect(await outcomeOf(setHash(encoded))).toBe("FIELD_INVALID");
    },
  );

  const salted = "{SSHA}Us90qsURhBGRVNxdvDp1IWDjGhzhRCmr";

  test("of a fast kind is hashed again before it is stored, which is too much for an item of a batch", async () => {
    await setHash(salted);
    expect(await fixture.read((tx) => findPasswordHash(tx, userId))).toBe("wrapped sha1-of-password-salt");
    expect(await outcomeOf(setHash(salted, { ...fixture.call(), isItem: true }))).toBe("FIELD_INVALID");
    expect(await outcomeOf(setHash(bcrypt, { ...fixture.call(), isItem: true }))).toBe("ok");
  });

  test("is measured before a batch only for those who may set any", async () => {
    const measured: string[] = [];
    const hasher = { estimateMs: async (encoded: string) => measured.push(encoded) };
    const ofNobody = { ...fixture.call().caller, held: [] };
    await measureHash({ hasher }, { caller: ofNobody }, new Secret(bcrypt));
    expect(measured).toEqual([]);
    await measureHash({ hasher }, fixture.call(), new Secret(bcrypt));
    expect(measured).toEqual([bcrypt]);
  });

  test("that was hashed again elsewhere is taken if that is as strong as ours", async () => {
    const sample = (header: string) => toSampleHash(`${header}$of$sha1-of-password-salt$$`);
    const strong = sample("$argon2id$v=19$m=19456,t=2,p=1$");
    await setHash(strong);
    expect(await fixture.read((tx) => findPasswordHash(tx, userId))).toBe(strong);
    for (const weak of ["$argon2id$v=19$m=19455,t=2,p=1$", "$argon2i$v=19$m=19456,t=2,p=1$"])
      expect(await outcomeOf(setHash(sample(weak)))).toBe("FIELD_INVALID");
  });

  test("that a system writes in another way is stored in ours", async () => {
    await setHash(`pbkdf2_sha256$20000$abcdefgh$${"A".repeat(43)}=`);
    expect(await fixture.read((tx) => findPasswordHash(tx, userId))).toBe(
      `$pbkdf2-sha256$i=20000,l=32$YWJjZGVmZ2g$${"A".repeat(43)}`,
    );
    expect(await fixture.read(listDearestHeaders)).toEqual(["$pbkdf2-sha256$i=20000,l=32$"]);
  });

  test.each([
    ["time", `$2b$14$${"a".repeat(53)}`],
    ["memory", toSampleHash("$argon2id$v=19$m=65537,t=1,p=1$")],
  ])("is refused if it costs too much %s, unless the service is told to take it", async (_what, encoded) => {
    expect(await outcomeOf(setHash(encoded))).toBe("FIELD_INVALID");
    const generous = await openFixture({ hasher: createCountingHasher(), allowSlowHashes: true });
    const { passwords } = generous.commands;
    const input = {
      userId: await generous.addHuman(),
      encodedHash: new Secret(encoded),
      isChangeRequired: false,
    };
    expect(await outcomeOf(passwords.setHash(generous.call(), input))).toBe("ok");
    await generous.close();
  });

  test("is known by what it costs until another one takes its place, and to an update of the database", async () => {
    const dear = toSampleHash("$argon2id$v=19$m=65536,t=3,p=4$");
    const [first, second] = [await fixture.addHuman("first"), await fixture.addHuman("second")];
    for (const [id, encoded] of [
      [userId, bcrypt],
      [first, `$2y$04$${"a".repeat(53)}`],
      [second, dear],
    ] as const)
      await fixture.commands.passwords.setHash(fixture.call(), {
        userId: id,
        encodedHash: new Secret(encoded),
        isChangeRequired: false,
      });
    const stored = () => fixture.read((tx) => tx.all("SELECT * FROM imported_hashes ORDER BY user_id"));
    const dearest = () => fixture.read(listDearestHeaders);
    expect(await dearest()).toEqual(["$argon2id$v=19$m=65536,t=3,p=4$", "$2b$10$"]);

    const before = await stored();
    const file = `../../../../src/kernel/storage/${engine.name}/migrations/0042-imported-hashes.sql`;
    const fills = readFileSync(join(import.meta.dirname, file), "utf8").match(
      /^INSERT INTO [^;]*'password:~'[^;]*/gm,
    );
    await fixture.context.database.write((tx) => tx.run("DELETE FROM imported_hashes"));
    for (const fill of fills ?? []) await fixture.context.database.write((tx) => tx.run(fill));
    expect(await stored()).toEqual(before);

    await ada.set();
    expect(await dearest()).toEqual(["$argon2id$v=19$m=65536,t=3,p=4$", "$2y$04$"]);
    await fixture.commands.passwords.remove(fixture.call(), second);
    await fixture.commands.remove(fixture.call(), first);
    expect(await stored()).toEqual([]);
  });

  test("is refused for a user who holds what the caller lacks", async () => {
    const held: readonly HeldRoles[] = [{ scope: { kind: "instance" }, roles: ["INSTANCE_VIEWER"] }];
    await fixture.addRole(userId, "INSTANCE_OWNER");
    const call = fixture.call({ ...fixture.administrator, held });
    expect(await outcomeOf(setHash(bcrypt, call))).toBe("PERMISSION_DENIED");
  });
});
