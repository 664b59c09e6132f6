import { argon2Sync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { hashSync } from "bcryptjs";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import { createHashThread } from "../../../../src/identity/people/passwords/hash-thread.ts";
import { toSampleHash } from "../../../../src/identity/people/passwords/encoded-hash.ts";
import { createPasswordHasher } from "../../../../src/identity/people/passwords/hasher.ts";
import { testPasswordCost } from "../../../support/password-cost.ts";
import { outcomeOf } from "../../../support/problems.ts";
import { largeTest } from "../../../support/large.ts";

/** Of "correct horse", for a tenth of a second or more. */
const slow = "$2b$10$8FPc7oWpZx8BW0AQ5h3E3OvFrSbHsGT4IYF4ZCqCoGwtCPnGZXTta";

const hasher = createPasswordHasher({ parallelism: 2, maxWaiting: 64, random: systemRandom });

describe("a hash", () => {
  test("is argon2id with 19,456 KiB, two passes and one lane, and node:crypto makes the same", async () => {
    const encoded = await hasher.hash("correct horse");
    const [, variant, version, cost, salt = "", tag = ""] = encoded.split("$");
    expect([variant, version, cost]).toEqual(["argon2id", "v=19", "m=19456,t=2,p=1"]);
    const nonce = Buffer.from(salt, "base64");
    expect(nonce).toHaveLength(16);
    const expected = argon2Sync("argon2id", {
      message: "correct horse",
      nonce,
      parallelism: 1,
      tagLength: 32,
      memory: 19_456,
      passes: 2,
    });
    expect(Buffer.from(tag, "base64").equals(expected)).toBe(true);
    expect(await hasher.verify(encoded, "correct horse")).toEqual({ isRight: true, isWeak: false });
    expect(await hasher.verify(encoded, "correct horsE")).toEqual({ isRight: false, isWeak: false });
  });

  test("is of the form NFKC, so every way to write a letter is the same password", async () => {
    const encoded = await hasher.hash("Ångström ﬁ");
    expect(await hasher.verify(encoded, "A\u030angstro\u0308m fi")).toMatchObject({ isRight: true });
  });

  test("from elsewhere may be of what was typed, and is then weak", async () => {
    const encoded = hashSync("ﬁne", 4);
    expect(await hasher.verify(encoded, "ﬁne")).toEqual({ isRight: true, isWeak: true });
    expect(await hasher.verify(encoded, "fine")).toEqual({ isRight: false, isWeak: false });
  });

  test("by bcrypt is read, and weak", async () => {
    const encoded = hashSync("correct horse", 4).replace("$2b$", "$2y$");
    expect(await hasher.verify(encoded, "correct horse")).toEqual({ isRight: true, isWeak: true });
    expect(await hasher.verify(encoded, "battery staple")).toEqual({ isRight: false, isWeak: false });
  });

  test("by bcrypt is compared in another thread: this one goes on meanwhile", async () => {
    await hasher.verify(hashSync("x", 4), "x"); // the thread has started
    const before = { here: process.threadCpuUsage(), inAll: process.cpuUsage() };
    const compared = await Promise.all(
      ["horse", "horses"].map((end) => hasher.verify(slow, `correct ${end}`)),
    );
    const here = process.threadCpuUsage(before.here);
    const inAll = process.cpuUsage(before.inAll);
    expect(compared).toEqual([
      { isRight: true, isWeak: true },
      { isRight: false, isWeak: false },
    ]);
    expect(here.user / inAll.user).toBeLessThan(0.5);
  });

  test("by bcrypt that the library cannot read, ends neither the thread nor the comparisons of others", async () => {
    const thread = createHashThread();
    const broken = `$2b$99$${"a".repeat(53)}`;
    const [first, second] = await Promise.allSettled(
      [broken, hashSync("x", 4)].map((encoded) => thread.verify(encoded, "x")),
    );
    expect(first).toMatchObject({ status: "rejected", reason: { message: "a hash cannot be read" } });
    expect(second).toMatchObject({ status: "fulfilled", value: { isRight: true } });
    expect(await thread.verify(hashSync("y", 4), "x")).toMatchObject({ isRight: false });
  });

  test("that cannot be read is wrong", async () => {
    expect(await hasher.verify("$argon2id$v=19$m=1,t=1,p=1$AAAA$AAAA", "x")).toMatchObject({
      isRight: false,
    });
  });
});

largeTest(
  "a wrong password waits for as long as the dearest hash takes, without a place among those who compute",
  async () => {
    const waited: number[] = [];
    const meanwhile: Promise<void>[] = [];
    const cheap = createPasswordHasher({
      parallelism: 1,
      maxWaiting: 0,
      random: systemRandom,
      cost: testPasswordCost,
      time: {
        nowMs: () => performance.now(),
        async wait(ms) {
          waited.push(ms);
          if (meanwhile.length === 0) meanwhile.push(cheap.verifyNothing("meanwhile")); // there is room for it
        },
      },
    });
    const own = await cheap.hash("correct horse");
    await cheap.verifyNothing("x", ["$2b$10$"]); // learns how long that takes
    waited.length = 0;
    meanwhile.length = 0;
    expect(await cheap.verify(own, "correct horse", ["$2b$10$"])).toEqual({ isRight: true, isWeak: false });
    expect(waited).toEqual([]);
    expect(await cheap.verify(own, "wrong", ["$2b$10$"])).toEqual({ isRight: false, isWeak: false });
    await Promise.all(meanwhile);
    await cheap.verifyNothing("\ufb01ne", ["$2b$10$"]); // its normalization is compared, too
    const bcryptMs = await cheap.estimateMs(toSampleHash("$2b$10$"));
    expect(waited[0]).toBeGreaterThan(bcryptMs / 2);
    expect(waited.at(-1)).toBeGreaterThan(bcryptMs);
  },
);

largeTest("what a hash costs here is estimated from a smaller one of its kind", async () => {
  const [bcrypt, twice] = await Promise.all(
    ["$2b$11$", "$2b$12$"].map((header) => hasher.estimateMs(toSampleHash(header))),
  );
  expect((twice ?? 0) / (bcrypt ?? 1)).toBeCloseTo(2);
  expect(await hasher.estimateMs(toSampleHash("$argon2id$v=19$m=65536,t=16,p=1$"))).toBeGreaterThan(
    bcrypt ?? 0,
  );
});

test("the estimate counts what is computed, not how long it waited for the machine", async () => {
  const thread = createHashThread();
  await thread.verify(toSampleHash("$2b$04$"), "x");
  const startMs = performance.now();
  const { cpuMs } = await thread.verify(toSampleHash("$2b$08$"), "x");
  const tookMs = performance.now() - startMs;
  expect(cpuMs).toBeGreaterThan(0);
  expect(cpuMs).toBeLessThanOrEqual(tookMs);
});

test("so many are computed at once and so many wait; more are refused, and room is made again", async () => {
  const small = createPasswordHasher({ parallelism: 1, maxWaiting: 1, random: systemRandom });
  const outcomes = await Promise.all([
    outcomeOf(small.verifyNothing("a")),
    outcomeOf(small.verifyNothing("b")),
    outcomeOf(small.verifyNothing("c")),
  ]);
  expect(outcomes).toEqual(["ok", "ok", "OVERLOADED"]);
  expect(await outcomeOf(small.verify("$none", "d"))).toBe("ok");
});
