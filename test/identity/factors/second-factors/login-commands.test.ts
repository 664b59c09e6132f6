import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { SecondFactorId, SessionId, UserId } from "../../../../src/kernel/base/ids.ts";
import { startSession } from "../../../../src/identity/logins/sessions/session.ts";
import {
  createFactorLogins,
  type FactorLogins,
  type ProvedFactor,
  type ProvedKey,
  type UnprovedFactor,
} from "../../../../src/identity/factors/second-factors/login-commands.ts";
import { deleteExpiredChallenges } from "../../../../src/identity/factors/authenticators/challenge-repository.ts";
import { localRelyingParty } from "../../../../src/identity/factors/authenticators/relying-party.ts";
import {
  type AssertionChoices,
  assertInSoftware,
  type CreationOptions,
  makeKeyPair,
  registerInSoftware,
} from "../../../support/software-authenticator.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf } from "../../../support/problems.ts";

type Proved = ProvedFactor | ProvedKey;

const minute = 60_000;
const issuer = "http://localhost:3000";
let fixture: Fixture;
let logins: FactorLogins;
let count = 0;

beforeAll(async () => {
  fixture = await openFixture();
  logins = createFactorLogins(fixture.context, {
    list: [localRelyingParty],
    allowSubdomains: false,
    name: "Gatehouse",
  });
});
afterAll(() => fixture.close());

const origin = (userId: UserId) => ({ editor: userId, remoteAddress: undefined, requestId: "test" });

/** Settles a proof as a login does: in one write, with the events that came of it. */
const settle = (userId: UserId, proved: Proved) =>
  fixture.context.database.write(async (tx) => {
    const settled = await proved.settle(tx);
    if (settled === undefined) throw new Error("the counter of the key has gone back");
    const { check, events } = settled;
    if (events.length > 0) await fixture.context.log.append(tx, origin(userId), events);
    return check;
  });

const outcome = (tried: Proved | UnprovedFactor) => (tried.kind === "wrong" ? tried.reason : tried.kind);

function requireProof<P extends Proved>(tried: P | UnprovedFactor): P {
  if (tried.kind === "right") return tried;
  throw new Error(`the answer was refused: ${outcome(tried)}`);
}

/** A user in the middle of a login, with a token that was registered at it. */
async function createPerson() {
  count += 1;
  const userId = await fixture.addHuman(`person-${count}`);
  const login = { issuer, loginId: `login-${count}`, userId, methods: ["PASSWORD"] };
  const keys = makeKeyPair();
  const credentialId = new Uint8Array(16).fill(count);
  const publicKey = (await logins.beginRegistration(login)) as CreationOptions["publicKey"];
  const credential = registerInSoftware({ publicKey }, { keys, credentialId });
  const registered = requireProof(await logins.checkRegistration(login, { answer: credential, name: "Key" }));
  const { factor } = await settle(userId, registered);
  if (factor === undefined) throw new Error("no factor was registered");
  const { id: factorId } = factor;
  const answer = async (choices: Partial<AssertionChoices> = {}, of = login) => {
    const options = await logins.begin(of);
    if (options === undefined) throw new Error("the user has no factor");
    return assertInSoftware(options, { keys, credentialId, ...choices });
  };
  const check = (credentials: unknown, of = login) => logins.check(of, credentials, origin(userId));
  const logIn = async (counter: number) =>
    settle(userId, requireProof(await check(await answer({ counter }))));
  return { userId, login, keys, credentialId, factorId, answer, check, logIn };
}

describe("a factor that is registered at a login", () => {
  test("is a check of that login, and ready for the next one", async () => {
    const { userId, factorId, logIn } = await createPerson();
    const { page } = await fixture.commands.u2f.list(fixture.call(), userId, {
      pageSize: 0,
      pageToken: "",
      countTotal: false,
    });
    expect(page.items).toMatchObject([{ id: factorId, state: "READY", domain: "localhost", name: "Key" }]);
    expect(await logIn(1)).toEqual({ method: "U2F", factor: { id: factorId, counter: 1 } });
  });

  test("is registered once, for the login and the user that the challenge was made for", async () => {
    const { userId, login } = await createPerson();
    const other = await createPerson();
    const publicKey = (await logins.beginRegistration(login)) as CreationOptions["publicKey"];
    expect(publicKey).toMatchObject({ excludeCredentials: [{ type: "public-key" }], timeout: 5 * minute });
    const answer = registerInSoftware({ publicKey });
    const settled = async (of: typeof login) => {
      const tried = await logins.checkRegistration(of, { answer, name: "Key" });
      return tried.kind === "right" ? await outcomeOf(settle(of.userId, tried)) : outcome(tried);
    };
    expect(await settled(other.login)).toBe("U2F_CHALLENGE_INVALID");
    expect(await settled({ ...login, userId: other.userId })).toBe("U2F_CHALLENGE_INVALID");
    const twice = await Promise.all([settled(login), settled(login)]);
    expect(twice.filter((each) => each === "ok")).toHaveLength(1);
    expect((await logins.begin({ ...login, userId }))?.allowCredentials).toHaveLength(2);
  });

  test("is refused after five minutes, of another page, and twice for anybody", async () => {
    const { login, credentialId } = await createPerson();
    const begin = async () => (await logins.beginRegistration(login)) as CreationOptions["publicKey"];
    const register = (answer: unknown) => logins.checkRegistration(login, { answer, name: "Key" });
    const late = requireProof(await register(registerInSoftware({ publicKey: await begin() })));
    fixture.clock.advance(5 * minute);
    expect(await outcomeOf(settle(login.userId, late))).toBe("U2F_CHALLENGE_INVALID");
    const foreign = registerInSoftware({ publicKey: await begin() }, { origin: "http://localhost:3001" });
    expect(outcome(await register(foreign))).toBe("U2F_ORIGIN_INVALID");
    const again = async () => register(registerInSoftware({ publicKey: await begin() }, { credentialId }));
    expect(outcome(await again())).toBe("ALREADY_EXISTS");
  });
});

describe("the answer of a security key", () => {
  test("is asked for only where the user has a factor for these pages", async () => {
    const { login } = await createPerson();
    expect(await logins.begin({ ...login, issuer: "https://id.example.com" })).toBeUndefined();
    expect(await logins.begin({ ...login, issuer: "http://127.0.0.1:3000" })).toBeUndefined();
    expect(await logins.beginRegistration({ ...login, issuer: "http://127.0.0.1:3000" })).toBeUndefined();
    expect(await logins.begin({ ...login, userId: await fixture.addHuman(`bare-${count}`) })).toBeUndefined();
  });

  test("is good once, right or wrong, and for one login and user", async () => {
    const { check, answer, login } = await createPerson();
    const other = await createPerson();
    const good = await answer();
    expect(outcome(await check(good, other.login))).toBe("U2F_CHALLENGE_INVALID");
    expect(outcome(await check(good, { ...login, userId: other.userId }))).toBe("U2F_CHALLENGE_INVALID");
    const both = await Promise.all([check(good), check(good)]);
    expect(both.map(outcome).toSorted()).toEqual(["U2F_CHALLENGE_INVALID", "right"]);
    const wrong = await answer({ hasWrongSignature: true });
    expect(outcome(await check(wrong))).toBe("U2F_SIGNATURE_INVALID");
    expect(outcome(await check(wrong))).toBe("U2F_CHALLENGE_INVALID");
  });

  test("is refused after five minutes, of another page, and from a key of somebody else", async () => {
    const { check, answer, login } = await createPerson();
    const other = await createPerson();
    const late = await answer();
    fixture.clock.advance(5 * minute);
    expect(outcome(await check(late))).toBe("U2F_CHALLENGE_INVALID");
    expect(outcome(await check(await answer({ origin: "http://localhost:3001" })))).toBe(
      "U2F_ORIGIN_INVALID",
    );
    const { keys, credentialId } = other;
    expect(outcome(await check(await answer({ keys, credentialId })))).toBe("U2F_CREDENTIAL_MALFORMED");
    expect(outcome(await check({ ...(await answer()), id: "" }))).toBe("U2F_CREDENTIAL_MALFORMED");
    expect(outcome(await check("nothing", login))).toBe("U2F_CREDENTIAL_MALFORMED");
  });

  test("is of no use once the factor is removed", async () => {
    const { userId, factorId, check, answer } = await createPerson();
    const proved = requireProof(await check(await answer()));
    await fixture.commands.u2f.remove(fixture.call(), { userId, u2fId: factorId });
    expect(await outcomeOf(settle(userId, proved))).toBe("U2F_CREDENTIAL_MALFORMED");
  });

  test("is compared ten times in a row, then only after fifteen minutes, however many are sent at once", async () => {
    const { check, answer, logIn } = await createPerson();
    const wrong = () => answer({ hasWrongSignature: true }).then((each) => check(each));
    for (let tries = 0; tries < 9; tries += 1) expect(outcome(await wrong())).toBe("U2F_SIGNATURE_INVALID");
    const good = await answer();
    const last = await Promise.all([
      check({ ...good, id: "AAAA" }),
      ...Array.from({ length: 5 }, () => check(good)),
    ]);
    expect(last.filter(({ kind }) => kind !== "paused")).toHaveLength(1);
    expect(await check(await answer())).toEqual({ kind: "paused", retryAfterMs: 15 * minute });
    fixture.clock.advance(15 * minute);
    await logIn(2);
    for (let tries = 0; tries < 9; tries += 1) expect(outcome(await wrong())).toBe("U2F_SIGNATURE_INVALID");
    await logIn(3);
  });
});

describe("a counter", () => {
  /** Records the checks as the session of a login does. */
  const record = (userId: UserId, counter: number, id: SecondFactorId) =>
    fixture.context.database.write((tx) =>
      fixture.context.log.append(
        tx,
        origin(userId),
        startSession({
          id: fixture.context.ids.next<SessionId>(),
          userId,
          organizationId: fixture.organizationId,
          checks: [{ method: "PASSWORD" }, { method: "U2F", factor: { id, counter } }],
          expirationMs: fixture.clock.nowMs() + minute,
        }),
      ),
    );

  test("that does not rise is refused and recorded, also after a rebuild (WebAuthn §7.2 step 22)", async () => {
    const { userId, factorId, check, answer, logIn } = await createPerson();
    await logIn(7);
    await record(userId, 7, factorId);
    await record(userId, 5, factorId); // a login that ended later than it was begun
    await fixture.rebuild();
    for (const counter of [7, 6, 0]) {
      expect(await check(await answer({ counter }))).toEqual({ kind: "wrong", reason: "COUNTER_REGRESSED" });
    }
    await logIn(8);
    const events = await fixture.read((tx) =>
      tx.all<{ payload: string; editor: string }>(
        "SELECT payload, editor FROM events WHERE aggregate_id = ? AND type = 'user.u2f.counter.regressed' ORDER BY sequence",
        [userId],
      ),
    );
    expect(events.map(({ payload }): unknown => JSON.parse(payload))).toEqual(
      ["7", "6", "0"].map((counter) => ({ u2f_id: factorId, last_counter: "7", counter })),
    );
    expect(new Set(events.map(({ editor }) => editor))).toEqual(new Set([userId]));
  });

  test.each([7, 6])(
    "that another login has raised to 7 since is refused and recorded: %d",
    async (counter) => {
      const { userId, login, factorId, check, answer } = await createPerson();
      const other = { ...login, loginId: `${login.loginId}-other` };
      const [first, second] = [
        requireProof(await check(await answer({ counter: 7 }))),
        requireProof(await check(await answer({ counter }, other), other)),
      ];
      await settle(userId, first);
      await record(userId, 7, factorId);
      const settled = await fixture.context.database.write((tx) => second.settle(tx));
      expect(settled).toBeUndefined();
      const events = await fixture.read((tx) =>
        tx.all<{ payload: string; editor: string }>(
          "SELECT payload, editor FROM events WHERE aggregate_id = ? AND type = 'user.u2f.counter.regressed'",
          [userId],
        ),
      );
      expect(events.map(({ payload }): unknown => JSON.parse(payload))).toEqual([
        { u2f_id: factorId, last_counter: "7", counter: String(counter) },
      ]);
      expect(events[0]?.editor).toBe(userId);
    },
  );

  test("of a bad answer is not recorded: anybody could accuse a key", async () => {
    const { userId, factorId, check, answer } = await createPerson();
    await record(userId, 7, factorId);
    const wrong = await check(await answer({ counter: 3, hasWrongSignature: true }));
    expect(outcome(wrong)).toBe("U2F_SIGNATURE_INVALID");
  });

  test("of 0 each time is taken", async () => {
    const { logIn } = await createPerson();
    await logIn(0);
    expect((await logIn(0)).factor?.counter).toBe(0);
  });
});

test("challenges whose time is over are deleted, in portions", async () => {
  for (const { login } of [await createPerson(), await createPerson()]) await logins.begin(login);
  const sweep = (limit: number) =>
    fixture.context.database.write((tx) =>
      deleteExpiredChallenges(tx, { nowMs: fixture.clock.nowMs(), limit }),
    );
  while ((await sweep(100)) > 0);
  fixture.clock.advance(5 * minute);
  expect(await sweep(1)).toBe(1);
  expect(await sweep(100)).toBe(1);
});

test("what is stored of a challenge says neither the challenge nor the user", async () => {
  const { login } = await createPerson();
  const options = await logins.begin(login);
  const rows = await fixture.read((tx) =>
    tx.all<{ hash: string }>("SELECT * FROM login_challenges WHERE login_id = ?", [login.loginId]),
  );
  expect(rows).toEqual([
    {
      login_id: login.loginId,
      hash: expect.stringMatching(/^[\w-]{43}$/),
      expiration_ms: expect.any(Number),
    },
  ]);
  expect(rows[0]?.hash).not.toBe(options?.challenge);
});
