import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../src/kernel/base/ids.ts";
import { type CreationOptions, registerInSoftware } from "../../support/software-authenticator.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { outcomeOf, problemOf } from "../../support/problems.ts";
import { largeTest } from "../../support/large.ts";

const minute = 60_000;
let fixture: Fixture;
let userId: UserId;

beforeEach(async () => {
  fixture = await openFixture();
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

const register = (id: string = userId) =>
  fixture.commands.u2f.register(fixture.call(), { userId: id, domain: "" });
const verify = (begun: Awaited<ReturnType<typeof register>>) =>
  fixture.commands.u2f.verify(fixture.call(), {
    userId,
    u2fId: begun.id,
    credential: registerInSoftware(begun.options as CreationOptions),
    name: "My key",
  });
const addToken = () => fixture.commands.tokens.add(fixture.call(), { userId, expirationMs: undefined });

const run = (sql: string, values: readonly (string | number)[]) =>
  fixture.context.database.write((tx) => tx.run(sql, values));
const countTo = (count: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

/** Stores second factors as that many registrations would leave them. */
function addFactors(count: number, state: "NOT_READY" | "READY") {
  const date = fixture.clock.nowMs() * 1000;
  const credentialId = state === "READY" ? "'c' || i" : "NULL";
  return run(
    `${countTo(count)} INSERT INTO second_factors (id, sequence, creation_date, resource_owner, user_id, state, domain, credential_id)
     SELECT '9' || i, ?, ?, ?, ?, ?, 'localhost', ${credentialId} FROM n`,
    [date, date, fixture.organizationId, userId, state],
  );
}

function addTokens(count: number, expirationMs: number) {
  const date = fixture.clock.nowMs() * 1000;
  return run(
    `${countTo(count)} INSERT INTO credentials (id, sequence, creation_date, resource_owner, user_id, expiration_ms, creator)
     SELECT '9' || i, ?, ?, ?, ?, ?, 'system' FROM n`,
    [date, date, fixture.organizationId, userId, expirationMs],
  );
}

async function challenges(): Promise<number> {
  const row = await fixture.read((tx) =>
    tx.get<{ total: number }>("SELECT COUNT(*) AS total FROM secrets WHERE id LIKE 'u2f-challenge:%'"),
  );
  return row?.total ?? 0;
}

describe("registrations of u2f tokens", () => {
  test("are at most 1,000 that are open, until the first of them expires", async () => {
    await addFactors(999, "NOT_READY");
    await register();
    const problem = await problemOf(register());
    expect(problem).toMatchObject({
      kind: "exhausted",
      reason: "LIMIT_REACHED",
      metadata: { type: "second_factor_registration", limit: "1000" },
      retryAfterMs: 5 * minute,
    });
    expect(await outcomeOf(register(await fixture.addHuman("other")))).toBe("ok");
    fixture.clock.advance(5 * minute);
    expect(await outcomeOf(register())).toBe("ok");
  });

  test("end with 100 u2f tokens, also those that were begun before", async () => {
    const begun = await register();
    await addFactors(99, "READY");
    const last = await register();
    await verify(begun);
    expect(await problemOf(verify(last))).toMatchObject({
      reason: "LIMIT_REACHED",
      metadata: { type: "second_factor", limit: "100" },
      retryAfterMs: undefined,
    });
    expect(await outcomeOf(register())).toBe("LIMIT_REACHED");
  });

  test("leave no challenge behind once it has expired and the user begins another", async () => {
    const stale = [await register(), await register(), await register()];
    await register(await fixture.addHuman("other"));
    fixture.clock.advance(5 * minute - 1);
    await register();
    expect(await challenges()).toBe(5);
    fixture.clock.advance(1 + minute);
    await register();
    expect(await challenges()).toBe(3);
    expect(await Promise.all(stale.map((begun) => outcomeOf(verify(begun))))).toEqual(
      stale.map(() => "U2F_EXPIRED"),
    );
    fixture.clock.advance(5 * minute);
    await register();
    expect(await challenges()).toBe(2);
  });
});

describe("tokens", () => {
  largeTest("are at most 10,000 that have not expired", async () => {
    await addTokens(9999, fixture.clock.nowMs() + minute);
    await addToken();
    expect(await problemOf(addToken())).toMatchObject({
      kind: "exhausted",
      reason: "LIMIT_REACHED",
      metadata: { type: "personal_access_token", limit: "10000" },
    });
    fixture.clock.advance(minute);
    expect(await outcomeOf(addToken())).toBe("ok");
  });
});
