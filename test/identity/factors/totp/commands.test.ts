import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import { makeApp } from "../../../support/totp.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf, problemOf } from "../../../support/problems.ts";

const minute = 60_000;
let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

let count = 0;
const addPerson = async () => await fixture.addHuman(`totp-${(count += 1)}`);

async function begin(userId: UserId) {
  const { secret, uri, details } = await fixture.commands.totp.register(fixture.call(), userId);
  return { ...makeApp(secret.reveal()), uri: uri.reveal(), details };
}

const verify = (userId: string, code: string, call = fixture.call()) =>
  fixture.commands.totp.verify(call, { userId, code: new Secret(code) });
const now = () => fixture.clock.nowMs();
const nextStep = () => fixture.clock.advance(30_000);

const listFactors = async (userId: UserId) => {
  const page = { pageSize: 0, pageToken: "", countTotal: false };
  return (await fixture.commands.u2f.list(fixture.call(), userId, page)).page.items;
};

/** A caller who is the user, after a login of a moment ago. */
const self = (userId: UserId, isMultiFactor = false) =>
  fixture.call({
    userId,
    tokenId: undefined,
    login: { sessionId: toId("9"), authTimeMs: now() - minute, isMultiFactor, methods: ["PASSWORD"] },
  });

describe("the registration of an app", () => {
  test("gives a secret of 20 bytes, and is ready with a code of it", async () => {
    const userId = await addPerson();
    const { secret, uri, code, details } = await begin(userId);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toBe(`otpauth://totp/Gatehouse:totp-${count}?secret=${secret}&issuer=Gatehouse`);
    expect(await listFactors(userId)).toMatchObject([
      { type: "TOTP", state: "NOT_READY", domain: "", name: "", details },
    ]);
    const verified = await verify(userId, code(now()));
    expect(verified.sequence).toBeGreaterThan(details.sequence);
    expect(await listFactors(userId)).toMatchObject([{ type: "TOTP", state: "READY", details: verified }]);
  });

  test("is replaced by another one until it is complete, and then by none", async () => {
    const userId = await addPerson();
    const former = await begin(userId);
    const { code } = await begin(userId);
    expect(await listFactors(userId)).toHaveLength(1);
    expect(await outcomeOf(verify(userId, former.code(now())))).toBe("TOTP_INVALID");
    await verify(userId, code(now()));
    nextStep();
    expect(await outcomeOf(begin(userId))).toBe("ALREADY_EXISTS");
    expect(await outcomeOf(verify(userId, code(now())))).toBe("ALREADY_EXISTS");
  });

  test("is refused for a service user, a user who has none, and somebody of elsewhere", async () => {
    const { totp } = fixture.commands;
    const call = fixture.call();
    expect(await outcomeOf(totp.register(call, fixture.administrator.userId))).toBe("WRONG_KIND");
    expect(await outcomeOf(totp.register(call, "12"))).toBe("NOT_FOUND");
    const userId = await addPerson();
    expect(await outcomeOf(verify(userId, "123456"))).toBe("NOT_FOUND");
    expect(await outcomeOf(totp.remove(call, userId))).toBe("NOT_FOUND");
  });

  test("is refused after ten wrong codes, the right one too, for 15 minutes", async () => {
    const userId = await addPerson();
    const { code } = await begin(userId);
    const wrong = String((Number(code(now())) + 1) % 1_000_000).padStart(6, "0");
    for (let tries = 0; tries < 10; tries += 1)
      expect(await outcomeOf(verify(userId, wrong))).toBe("TOTP_INVALID");
    const paused = await problemOf(verify(userId, code(now())));
    expect([paused.reason, paused.retryAfterMs]).toEqual(["LOGIN_PAUSED", 15 * minute]);
    fixture.clock.advance(15 * minute);
    expect(await outcomeOf(verify(userId, code(now())))).toBe("ok");
  });

  test("a dry run compares and counts nothing", async () => {
    const userId = await addPerson();
    await begin(userId);
    expect(await outcomeOf(verify(userId, "000000", { ...fixture.call(), isDryRun: true }))).toBe("ok"); // who calls undoes it
    const sql = "SELECT count FROM tries WHERE user_id = ?";
    expect(await fixture.read((tx) => tx.all(sql, [userId]))).toEqual([]);
  });

  test("of many at once with the same code completes once", async () => {
    const userId = await addPerson();
    const { code } = await begin(userId);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => outcomeOf(verify(userId, code(now())))),
    );
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
  });
});

describe("users themselves", () => {
  test("need a login of a moment ago, with two factors once they have them, and no token is enough", async () => {
    const userId = await addPerson();
    const { totp } = fixture.commands;
    const byToken = fixture.call({ userId, tokenId: await fixture.addSystemToken(userId) });
    for (const attempt of [
      totp.register(byToken, userId),
      totp.remove(byToken, userId),
      verify(userId, "123456", byToken),
    ])
      expect(await outcomeOf(attempt)).toBe("REAUTHENTICATION_REQUIRED");
    const { secret } = await totp.register(self(userId), userId);
    await verify(userId, makeApp(secret.reveal()).code(now()), self(userId));
    expect(await outcomeOf(totp.remove(self(userId), userId))).toBe("REAUTHENTICATION_REQUIRED");
    const late = self(userId, true);
    fixture.clock.advance(10 * minute);
    expect(await outcomeOf(totp.remove(late, userId))).toBe("REAUTHENTICATION_REQUIRED");
    expect(await outcomeOf(totp.remove(self(userId, true), userId))).toBe("ok");
    expect(await listFactors(userId)).toEqual([]);
  });
});

test("the app is no u2f token: its id is none for their calls", async () => {
  const userId = await addPerson();
  await begin(userId);
  const [factor] = await listFactors(userId);
  const u2fId = factor?.id ?? "";
  expect(await outcomeOf(fixture.commands.u2f.remove(fixture.call(), { userId, u2fId }))).toBe("NOT_FOUND");
  const credential = { id: "x" };
  const input = { userId, u2fId, credential, name: "Key" };
  expect(await outcomeOf(fixture.commands.u2f.verify(fixture.call(), input))).toBe("NOT_FOUND");
});

test("what is stored says no secret and no code, and goes with the app and with the user", async () => {
  const rowsOf = async (userId: UserId) =>
    await fixture.read(async (tx) => ({
      secrets: await tx.all<{ id: string; value: Uint8Array }>(
        "SELECT id, value FROM secrets WHERE id LIKE 'totp:%' OR id LIKE 'recovery-codes:%'",
        [],
      ),
      steps: await tx.all("SELECT step FROM used_totp_steps WHERE user_id = ?", [userId]),
      codes: await tx.all("SELECT id FROM recovery_codes WHERE user_id = ?", [userId]),
    }));
  const userId = await addPerson();
  const before = (await rowsOf(userId)).secrets.length;
  const { secret, code } = await begin(userId);
  await verify(userId, code(now()));
  await fixture.commands.recoveryCodes.generate(fixture.call(), userId);
  const kept = await rowsOf(userId);
  expect([kept.secrets.length - before, kept.steps.length, kept.codes.length]).toEqual([2, 1, 1]);
  for (const { value } of kept.secrets) expect(Buffer.from(value).toString("latin1")).not.toContain(secret);
  const events = await fixture.read((tx) => tx.all<{ payload: string }>("SELECT payload FROM events", []));
  expect(JSON.stringify(events)).not.toContain(secret);
  await fixture.commands.remove(fixture.call(), userId);
  const left = await rowsOf(userId);
  expect([left.secrets.length - before, left.steps, left.codes]).toEqual([0, [], []]);

  const other = await addPerson();
  await begin(other);
  await fixture.commands.totp.remove(fixture.call(), other);
  expect((await rowsOf(other)).secrets.length).toBe(before);
});
