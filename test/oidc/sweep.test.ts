import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type TokenId, toId, type UserId } from "../../src/base/ids.ts";
import { putAccessToken, revokeAccessToken } from "../../src/features/access-tokens/repository.ts";
import { putTries, useAssertion } from "../../src/oidc/clients/repository.ts";
import { sweepExpired } from "../../src/oidc/sweep.ts";
import { type FeatureFixture, openFeatureFixture } from "../support/feature-fixture.ts";

let fixture: FeatureFixture;
beforeEach(async () => {
  fixture = await openFeatureFixture();
});
afterEach(() => fixture.close());

const tables = ["access_tokens", "revoked_access_tokens", "used_assertions", "client_tries"];

/** Puts so many rows into each table that end at that time. */
async function fill(count: number, expirationMs: number): Promise<void> {
  await fixture.database.write(async (tx) => {
    for (let index = 0; index < count; index++) {
      const hash = `${expirationMs} ${index}`;
      const ids = { userId: toId<UserId>("1"), credentialId: toId<TokenId>("2"), clientId: "1" };
      const token = { ...ids, lockCount: 0, scopes: [], audiences: [], issuedMs: 0, expirationMs };
      await putAccessToken(tx, hash, token);
      await revokeAccessToken(tx, { hash, expirationMs });
      await useAssertion(tx, { hash, expirationMs });
      await putTries(tx, hash, { count: 1, expirationMs });
    }
  });
}

const counts = () =>
  fixture.database.read(async (tx) => {
    const rows = tables.map((table) => tx.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`));
    return (await Promise.all(rows)).map((row) => row?.n);
  });

describe("the sweep of what has expired", () => {
  test("takes all of it away, in portions, and nothing else", async () => {
    const nowMs = fixture.clock.nowMs();
    await fill(501, nowMs);
    await fill(2, nowMs + 1);
    await sweepExpired(fixture.context);
    expect(await counts()).toEqual([2, 2, 2, 2]);
    fixture.clock.turn(1);
    await sweepExpired(fixture.context);
    expect(await counts()).toEqual([0, 0, 0, 0]);
  });
});

test("an assertion is used once until its time is over", async () => {
  const use = { hash: "a", expirationMs: fixture.clock.nowMs() + 10 };
  const first = await fixture.database.write((tx) => useAssertion(tx, use));
  const second = await fixture.database.write((tx) => useAssertion(tx, use));
  expect([first, second]).toEqual([true, false]);
});
