import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../../src/kernel/base/ids.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import {
  createRecoveryCodeLogins,
  type RecoveryCodeLogins,
} from "../../../../src/identity/factors/recovery-codes/login-commands.ts";
import type {
  ProvedFactor,
  UnprovedFactor,
} from "../../../../src/identity/factors/second-factors/login-commands.ts";
import { createTotpLogins, type TotpLogins } from "../../../../src/identity/factors/totp/login-commands.ts";
import { deleteExpiredTimeSteps } from "../../../../src/identity/factors/totp/repository.ts";
import { makeApp } from "../../../support/totp.ts";
import { sized } from "../../../support/size.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf } from "../../../support/problems.ts";

const minute = 60_000;
let fixture: Fixture;
let apps: TotpLogins;
let codes: RecoveryCodeLogins;

function useFixture(opened: Fixture) {
  fixture = opened;
  apps = createTotpLogins(fixture.context, "Gatehouse");
  codes = createRecoveryCodeLogins(fixture.context);
}
beforeAll(async () => useFixture(await openFixture()));
afterAll(() => fixture.close());

const now = () => fixture.clock.nowMs();
const originOf = (userId: UserId) => ({ editor: userId, remoteAddress: undefined, requestId: "test" });

/** Settles a proof as a login does: in one write, with the events that came of it. */
const settle = (userId: UserId, proved: ProvedFactor) =>
  fixture.context.database.write(async (tx) => {
    const { check, events } = await proved.settle(tx);
    if (events.length > 0) await fixture.context.log.append(tx, originOf(userId), events);
    return check;
  });

/** Tries something to its end: what a login notes, or why it does not. */
async function finish(userId: UserId, tried: ProvedFactor | UnprovedFactor | undefined): Promise<string> {
  if (tried?.kind === "right") return await outcomeOf(settle(userId, tried));
  return tried?.kind === "wrong" ? tried.reason : (tried?.kind ?? "expired");
}

let count = 0;

/** A user with an app, whose code of the present step is not used yet. */
async function createPerson() {
  count += 1;
  const userId = await fixture.addHuman(`app-${count}`);
  const { totp } = fixture.commands;
  const app = makeApp((await totp.register(fixture.call(), userId)).secret.reveal());
  await totp.verify(fixture.call(), { userId, code: new Secret(app.code(now())) });
  fixture.clock.advance(30_000);
  const check = (code: string) => apps.check(userId, new Secret(code), originOf(userId));
  const tryCode = async (code: string) => await finish(userId, await check(code));
  return { userId, app, check, tryCode };
}

/** A code that is none of this time. */
const wrongFor = ({ code }: ReturnType<typeof makeApp>) => {
  const right = new Set([-1, 0, 1].map((steps) => code(now() + steps * 30_000)));
  return ["000000", "111111", "222222", "333333"].find((each) => !right.has(each)) ?? "";
};

describe("the code of an app", () => {
  test("is a check with the app and the time step", async () => {
    const { userId, app, check } = await createPerson();
    const tried = await check(app.code(now()));
    if (tried.kind !== "right") throw new Error(tried.kind);
    const noted = await settle(userId, tried);
    const counter = Math.floor(now() / 30_000);
    expect(noted).toEqual({ method: "TOTP", factor: { id: expect.any(String), counter } });
  });

  test("counts once, also the one that completed the registration", async () => {
    const { app, tryCode } = await createPerson();
    expect(await tryCode(app.code(now() - 30_000))).toBe("TOTP_INVALID"); // that one was used to register
    expect(await tryCode(app.code(now()))).toBe("ok");
    expect(await tryCode(app.code(now()))).toBe("TOTP_INVALID");
    expect(await tryCode(app.code(now() + 30_000))).toBe("ok");
    fixture.clock.advance(30_000);
    expect(await tryCode(app.code(now()))).toBe("TOTP_INVALID");
  });

  test("counts once among many at the same time, also when all of them were compared before", async () => {
    const { userId, app, check } = await createPerson();
    const tried = await Promise.all(Array.from({ length: 8 }, () => check(app.code(now()))));
    expect(tried.map(({ kind }) => kind)).toEqual(Array.from({ length: 8 }, () => "right"));
    const outcomes = await Promise.all(tried.map((each) => finish(userId, each)));
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
  });

  test("stays used after a rebuild, a restart, another app, and while the clock is set back", async () => {
    const { userId, app, tryCode } = await createPerson();
    const used = app.code(now());
    expect(await tryCode(used)).toBe("ok");
    await fixture.rebuild();
    expect(await tryCode(used)).toBe("TOTP_INVALID");
    useFixture(await fixture.reopen());
    expect(await tryCode(used)).toBe("TOTP_INVALID");
    fixture.clock.advance(2 * 60 * minute);
    expect(await tryCode(app.code(now()))).toBe("ok");
    fixture.clock.advance(-2 * 60 * minute);
    expect(await tryCode(used)).toBe("TOTP_INVALID");
    expect(await tryCode(app.code(now() + 30_000))).toBe("ok"); // nobody is kept out by it
    fixture.clock.advance(60_000);
    await fixture.commands.totp.remove(fixture.call(), userId);
    expect(await tryCode(app.code(now()))).toBe("TOTP_INVALID");
  });

  test("proves nothing once the app is gone, though it was right when it was compared", async () => {
    const { userId, app, check } = await createPerson();
    const tried = await check(app.code(now()));
    await fixture.commands.totp.remove(fixture.call(), userId);
    expect(await finish(userId, tried)).toBe("TOTP_INVALID");
  });

  test("that is wrong is recorded, without the code", async () => {
    const { userId, app, tryCode } = await createPerson();
    const wrong = wrongFor(app);
    expect(await tryCode(wrong)).toBe("TOTP_INVALID");
    const rows = await fixture.read((tx) =>
      tx.all<{ type: string; payload: string }>(
        "SELECT type, payload FROM events WHERE aggregate_id = ? ORDER BY sequence DESC LIMIT 1",
        [userId],
      ),
    );
    expect(rows).toMatchObject([{ type: "user.totp.check.failed" }]);
    expect(JSON.stringify(rows)).not.toContain(wrong);
  });

  test("of a registration that was not completed proves nothing", async () => {
    const userId = await fixture.addHuman(`open-${(count += 1)}`);
    const app = makeApp((await fixture.commands.totp.register(fixture.call(), userId)).secret.reveal());
    const tried = await apps.check(userId, new Secret(app.code(now())), originOf(userId));
    expect(await finish(userId, tried)).toBe("TOTP_INVALID");
  });

  test("opens nothing for another user", async () => {
    const { app } = await createPerson();
    const { tryCode } = await createPerson();
    expect(await tryCode(app.code(now()))).toBe("TOTP_INVALID");
  });
});

describe("guesses", () => {
  const guesses = sized({ small: 100, full: 1000 });

  test("at once, of all kinds together, are compared ten times and no more, also after a restart", async () => {
    const { userId, app, tryCode } = await createPerson();
    await fixture.commands.recoveryCodes.generate(fixture.call(), userId);
    const wrong = wrongFor(app);
    const outcomes = await Promise.all(
      Array.from({ length: guesses }, async (_, index) =>
        index % 2 === 0
          ? await tryCode(wrong)
          : await finish(userId, await codes.check(userId, new Secret(wrong))),
      ),
    );
    expect(outcomes.filter((outcome) => outcome !== "paused")).toHaveLength(10);
    expect(await tryCode(app.code(now()))).toBe("paused"); // the right one is not compared either
    await fixture.rebuild();
    useFixture(await fixture.reopen());
    expect(await tryCode(app.code(now()))).toBe("paused");
    fixture.clock.advance(15 * minute);
    const later = await Promise.all(Array.from({ length: 20 }, () => tryCode(wrong)));
    expect(later.filter((outcome) => outcome !== "paused")).toHaveLength(1);
    fixture.clock.advance(15 * minute);
    expect(await tryCode(app.code(now()))).toBe("ok");
    expect(await tryCode(wrong)).toBe("TOTP_INVALID"); // it counts from the beginning again
  });
});

describe("a recovery code", () => {
  const generate = async (userId: UserId) =>
    (await fixture.commands.recoveryCodes.generate(fixture.call(), userId)).codes.map((code) =>
      code.reveal(),
    );
  const use = async (userId: UserId, code: string) =>
    await finish(userId, await codes.check(userId, new Secret(code)));
  const remaining = async (userId: UserId) =>
    await fixture.read((tx) =>
      tx.all<{ remaining: number }>("SELECT remaining FROM recovery_codes WHERE user_id = ?", [userId]),
    );

  test("is one of ten of ten characters, each good once, however it is typed", async () => {
    const { userId } = await createPerson();
    const made = await generate(userId);
    expect(new Set(made).size).toBe(10);
    for (const code of made) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/);
    const [first = "", second = "", ...others] = made;
    expect(await use(userId, `${first.slice(0, 5).toLowerCase()}-${first.slice(5)} `)).toBe("ok");
    expect(await use(userId, first)).toBe("CODE_INVALID");
    expect(await use(userId, second.replaceAll("0", "o").replaceAll("1", "l"))).toBe("ok");
    expect(await remaining(userId)).toEqual([{ remaining: 8 }]);
    await fixture.rebuild();
    expect(await remaining(userId)).toEqual([{ remaining: 8 }]);
    for (const code of others) expect(await use(userId, code)).toBe("ok");
    expect(await use(userId, others[0] ?? "")).toBe("CODE_INVALID");
  });

  test("is good once among eight at the same time, also when all of them were compared before", async () => {
    const { userId } = await createPerson();
    const [code = "", other = ""] = await generate(userId);
    const all = await Promise.all(Array.from({ length: 8 }, () => use(userId, code)));
    expect(all.filter((outcome) => outcome === "ok")).toHaveLength(1);
    const tried = await Promise.all(Array.from({ length: 8 }, () => codes.check(userId, new Secret(other))));
    const outcomes = await Promise.all(tried.map((each) => finish(userId, each)));
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(await remaining(userId)).toEqual([{ remaining: 8 }]);
  });

  test("ends with new ones, with their removal, and is of one user", async () => {
    const { userId } = await createPerson();
    const { userId: stranger } = await createPerson();
    const [former = ""] = await generate(userId);
    const compared = await codes.check(userId, new Secret(former));
    const [code = ""] = await generate(userId);
    expect(await use(userId, former)).toBe("CODE_INVALID");
    expect(await finish(userId, compared)).toBe("NOT_FOUND");
    await generate(stranger);
    expect(await use(stranger, code)).toBe("CODE_INVALID");
    await fixture.commands.recoveryCodes.remove(fixture.call(), userId);
    expect(await use(userId, code)).toBe("CODE_INVALID");
    expect(await outcomeOf(fixture.commands.recoveryCodes.remove(fixture.call(), userId))).toBe("NOT_FOUND");
  });

  test("is for human users, who need a login of a moment ago for them", async () => {
    const { recoveryCodes } = fixture.commands;
    const { userId } = await createPerson();
    const { userId: administrator } = fixture.administrator;
    expect(await outcomeOf(recoveryCodes.generate(fixture.call(), administrator))).toBe("WRONG_KIND");
    const bare = await fixture.addHuman("without-a-factor");
    expect(await outcomeOf(recoveryCodes.generate(fixture.call(), bare))).toBe("SECOND_FACTOR_MISSING");
    const self = fixture.call({ userId, tokenId: await fixture.addSystemToken(userId) });
    expect(await outcomeOf(recoveryCodes.generate(self, userId))).toBe("REAUTHENTICATION_REQUIRED");
    expect(await outcomeOf(recoveryCodes.remove(self, userId))).toBe("REAUTHENTICATION_REQUIRED");
  });
});

describe("an app that a page offers", () => {
  const bare = async () => await fixture.addHuman(`bare-${(count += 1)}`);
  const loginOf = (userId: UserId, loginId = "login-1") => ({ userId, loginId, methods: ["PASSWORD"] });

  test("is registered with its first code, which is a check of the login", async () => {
    const userId = await bare();
    const login = loginOf(userId);
    const offered = await apps.offer(login);
    const again = await apps.offer(login, offered.offer);
    expect([again.secret.reveal(), again.offer]).toEqual([offered.secret.reveal(), offered.offer]);
    const app = makeApp(offered.secret.reveal());
    const { offer } = offered;
    const submit = async (code: string) =>
      await finish(userId, await apps.checkOffer(login, { offer, code: new Secret(code) }));
    expect(await submit(wrongFor(app))).toBe("TOTP_INVALID");
    expect(await submit(app.code(now()))).toBe("ok");
    fixture.clock.advance(30_000);
    expect(await submit(app.code(now()))).toBe("ALREADY_EXISTS");
    expect(
      await finish(userId, await apps.check(userId, new Secret(app.code(now())), originOf(userId))),
    ).toBe("ok");
  });

  test("is of one login and user, unchanged, and for 15 minutes", async () => {
    const userId = await bare();
    const login = loginOf(userId);
    const { secret, offer } = await apps.offer(login);
    expect(offer).not.toContain(secret.reveal());
    const submit = async (of: typeof login, text: string) =>
      await finish(userId, await apps.checkOffer(of, { offer: text, code: new Secret("000000") }));
    const [keyId = "", value = ""] = offer.split(".");
    const changed = `${keyId}.${value.startsWith("A") ? "B" : "A"}${value.slice(1)}`;
    for (const text of ["", ".", "x", "unknown.AAAA", changed])
      expect(await submit(login, text)).toBe("expired");
    expect(await submit(loginOf(userId, "login-2"), offer)).toBe("expired");
    expect(await submit(loginOf(await bare()), offer)).toBe("expired");
    expect((await apps.offer(loginOf(await bare()), offer)).secret.reveal()).not.toBe(secret.reveal());
    fixture.clock.advance(15 * minute);
    expect(await submit(login, offer)).toBe("expired");
  });

  test("takes the place of a registration by rpc that was not completed", async () => {
    const userId = await bare();
    await fixture.commands.totp.register(fixture.call(), userId);
    const login = loginOf(userId);
    const { secret, offer } = await apps.offer(login);
    const code = new Secret(makeApp(secret.reveal()).code(now()));
    expect(await finish(userId, await apps.checkOffer(login, { offer, code }))).toBe("ok");
    const rows = await fixture.read((tx) =>
      tx.all("SELECT state, type FROM second_factors WHERE user_id = ?", [userId]),
    );
    expect(rows).toEqual([{ state: "READY", type: "TOTP" }]);
  });
});

test("used steps are forgotten after a day, in portions", async () => {
  await createPerson();
  await createPerson();
  const sweep = (limit: number) =>
    fixture.context.database.write((tx) => deleteExpiredTimeSteps(tx, { nowMs: now(), limit }));
  while ((await sweep(100)) > 0);
  fixture.clock.advance(24 * 60 * minute);
  expect(await sweep(1)).toBe(1);
  expect(await sweep(100)).toBeGreaterThanOrEqual(1);
  expect(await sweep(100)).toBe(0);
});
