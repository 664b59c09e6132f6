import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { Problem } from "../../../src/kernel/base/problem.ts";
import { type AnswerStore, createAnswerStore } from "../../../src/identity/idempotency/commands.ts";
import type { KeyedCall, Ending } from "../../../src/identity/idempotency/stored-answer.ts";
import { type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { largeTest } from "../../support/large.ts";

const dayMs = 86_400_000;

let fixture: FeatureFixture;
let store: AnswerStore;
beforeAll(async () => {
  fixture = await openFeatureFixture();
  store = createAnswerStore(fixture.context);
});
afterAll(() => fixture.close());

let counter = 0;
const next = (): KeyedCall => ({ userId: "1", method: "m", key: `key ${(counter += 1)}`, request: "r" });
const answer = (text: string): Ending => ({ kind: "answer", message: new Uint8Array(Buffer.from(text)) });
const put = (asked: KeyedCall, ending: Ending = answer(asked.key)) =>
  fixture.database.write((tx) => store.put(tx, asked, ending));
/** Returns when each answer that lies there is over, the first one first. */
const expirations = async () => {
  const sql = "SELECT expiration_ms AS ms FROM idempotent_answers ORDER BY expiration_ms";
  const rows = await fixture.database.read((tx) => tx.all<{ ms: number }>(sql));
  return rows.map(({ ms }) => ms);
};
const count = async () => (await expirations()).length;
/** Lets the time of all answers run out, and has those removed that lie there. */
async function startAnew() {
  fixture.clock.turn(dayMs);
  await fixture.database.write((tx) => tx.run("DELETE FROM idempotent_answers"));
}

describe("what was put", () => {
  test("is found as it was, an answer of any bytes as well as a problem with all it says", async () => {
    const problem: fc.Arbitrary<Ending> = fc
      .record({
        kind: fc.constantFrom("invalid" as const, "precondition" as const),
        reason: fc.constantFrom("CODE_INVALID" as const, "CODE_EXHAUSTED" as const),
        message: fc.string({ unit: anyCharacter }),
        metadata: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
        retryAfterMs: fc.nat(),
      })
      .map((init) => ({ kind: "problem" as const, problem: init }));
    const any = fc.oneof(
      fc.uint8Array().map((message): Ending => ({ kind: "answer", message })),
      problem,
    );
    await fc.assert(
      fc.asyncProperty(any, async (ending) => {
        const asked = next();
        expect(await store.find(asked)).toBeUndefined();
        await put(asked, ending);
        const found = await store.find(asked);
        const bytesOf = (each: Ending | undefined) => (each?.kind === "answer" ? [...each.message] : each);
        expect(found?.kind).toBe(ending.kind);
        expect(bytesOf(found)).toEqual(bytesOf(ending));
      }),
    );
  });

  test("is found in the transaction of its effect, and gone with it", async () => {
    const asked = next();
    const undone = fixture.database.write(async (tx) => {
      await store.put(tx, asked, answer("x"));
      expect(await store.findIn(tx, asked)).toBeDefined();
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await store.find(asked)).toBeUndefined();
  });

  test("is refused to another request, and for nobody else there", async () => {
    const asked = next();
    await put(asked);
    await expect(store.find({ ...asked, request: "other" })).rejects.toMatchObject({
      reason: "IDEMPOTENCY_KEY_REUSED",
    } satisfies Partial<Problem>);
    expect(await store.find({ ...asked, userId: "2" })).toBeUndefined();
    expect(await store.find({ ...asked, method: "n" })).toBeUndefined();
  });

  test("gives way to another one of the same key when its time is over", async () => {
    const asked = next();
    await put(asked, answer("first"));
    fixture.clock.turn(dayMs);
    expect(await store.find({ ...asked, request: "other" })).toBeUndefined();
    await put({ ...asked, request: "other" }, answer("second"));
    expect(await store.find({ ...asked, request: "other" })).toEqual(answer("second"));
  });
});

describe("answers whose time is over", () => {
  test("go as new ones come, two at a time and the oldest first", async () => {
    await startAnew();
    const firstMs = fixture.clock.nowMs() + dayMs;
    for (let index = 0; index < 5; index += 1) {
      await put(next());
      fixture.clock.turn(1);
    }
    fixture.clock.turn(dayMs - 5); // to the instant when the first is over
    const later = () => fixture.clock.nowMs() + dayMs;
    await put(next());
    const one = later();
    expect(await expirations()).toEqual([firstMs + 1, firstMs + 2, firstMs + 3, firstMs + 4, one]);
    fixture.clock.turn(5);
    await put(next());
    expect(await expirations()).toEqual([firstMs + 3, firstMs + 4, one, later()]);
    await put(next());
    expect(await expirations()).toEqual([one, later(), later()]);
    await put(next());
    expect(await count()).toBe(4); // none is left to go
  });

  largeTest("do not make the table grow without end, at whatever pace calls come", async () => {
    await startAnew();
    const perDay = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(perDay, async (days) => {
        await startAnew();
        let most = 0;
        for (const calls of days) {
          most = Math.max(most, calls);
          for (let call = 0; call < calls; call += 1) await put(next());
          // Those of today, and at the most as many as ever were of one day.
          expect(await count()).toBeLessThanOrEqual(calls + most);
          fixture.clock.turn(dayMs);
        }
      }),
      { numRuns: 30 },
    );
  });
});
