import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { toInstant } from "../../../../src/kernel/base/clock.ts";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import { insertName, never, selectNames, usePort } from "./open-place.ts";

const port = usePort();

describe("the instant of a transaction", () => {
  test("is that of the clock when it is first asked for, and the same from then on, in parts too", async () => {
    const at = (ms = 0) => toInstant(port.clock.nowMs() + ms);
    const before = at();
    const written = await port.database.write(async (tx) => {
      port.clock.turn(1);
      const first = tx.now();
      port.clock.turn(1);
      return [first, await tx.nested(async (part) => part.now()), tx.now()];
    });
    expect(written).toEqual([at(-1), at(-1), at(-1)]);
    expect(at(-2)).toBe(before);
    const read = await port.database.read(async (tx) => {
      const first = tx.now();
      port.clock.turn(1);
      await tx.all("SELECT name FROM settings");
      return [first, tx.now()];
    });
    expect(read).toEqual([at(-1), at(-1)]);
  });
});

describe("write", () => {
  test("shows a read that starts after its answer what it wrote", async () => {
    await port.database.write((tx) => tx.run(insertName, ["a"]));
    expect(await port.names()).toEqual(["a"]);
  });

  test("keeps nothing of a command that throws, and everything of its neighbours in the same batch", async () => {
    const outcomes = await Promise.allSettled(
      ["a", "b", "c"].map((name) =>
        port.database.write(async (tx) => {
          await tx.run(insertName, [name]);
          if (name === "b") throw new Error("refused");
          return name;
        }),
      ),
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await port.names()).toEqual(["a", "c"]);
  });

  test("keeps of any commands in any order those that do not fail", async () => {
    type Kind = "done" | "fails before it writes" | "fails after it wrote" | "returns a problem";
    const kinds = fc.constantFrom<Kind>(
      "done",
      "fails before it writes",
      "fails after it wrote",
      "returns a problem",
    );
    let made = 0;
    const expected: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 8 }), async (commands) => {
        const writes = commands.map((kind) => {
          const name = String((made += 1)).padStart(6, "0");
          if (kind === "done" || kind === "returns a problem") expected.push(name);
          return port.database.write(async (tx) => {
            if (kind === "fails before it writes") throw new Error("no");
            await tx.run(insertName, [name]);
            if (kind === "fails after it wrote") throw new Error("no");
            return kind === "done"
              ? name
              : new Problem({ kind: "invalid", reason: "CODE_INVALID", message: "" });
          });
        });
        const outcomes = await Promise.allSettled(writes); // all in one batch
        expect(outcomes.map(({ status }) => status)).toEqual(
          commands.map((kind) => (kind === "done" ? "fulfilled" : "rejected")),
        );
        expect(await port.names()).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test("keeps the changes of a command that returns a problem, and throws the problem", async () => {
    const problem = new Problem({ kind: "invalid", reason: "CODE_INVALID", message: "wrong" });
    const write = port.database.write(async (tx) => {
      await tx.run(insertName, ["try"]);
      return problem;
    });
    await expect(write).rejects.toBe(problem);
    expect(await port.names()).toEqual(["try"]);
  });

  test("commits nothing once the deadline has passed, also when it passes inside the command", async () => {
    const deadlineMs = port.clock.nowMs() + 1000;
    const write = port.database.write(
      async (tx) => {
        await tx.run(insertName, ["late"]);
        port.clock.turn(1000);
      },
      { deadlineMs },
    );
    await expect(write).rejects.toMatchObject({ kind: "deadline", reason: "DEADLINE_EXCEEDED" });
    expect(await port.names()).toEqual([]);
  });

  test("refuses a command that awaits something other than its statements, and goes on with the next", async () => {
    const slow = port.database.write(async (tx) => {
      await tx.run(insertName, ["slow"]);
      await never();
    });
    await expect(slow).rejects.toThrow("awaited something other");
    await port.database.write((tx) => tx.run(insertName, ["next"]));
    expect(await port.names()).toEqual(["next"]);
  });

  test("refuses the use of a transaction after its end", async () => {
    const kept = await port.database.write(async (tx) => ({ tx }));
    await expect(kept.tx.run(insertName, ["after"])).rejects.toThrow("after its end");
  });

  test("answers 600 commands that arrive at once", async () => {
    await Promise.all(
      Array.from({ length: 600 }, (_, index) =>
        port.database.write((tx) => tx.run(insertName, [`${index}`])),
      ),
    );
    expect(await port.names()).toHaveLength(600);
  });

  test("answers a slow command before the next one that waited begins, and small ones together", async () => {
    const write = (name: string, durationMs: number) => async (order: string[]) => {
      await port.database.write(async () => {
        order.push(`${name} runs`);
        port.clock.turn(durationMs);
      });
      order.push(`${name} is answered`);
    };
    const runTogether = async (durationMs: number) => {
      const order: string[] = [];
      await Promise.all([write("a", durationMs)(order), write("b", durationMs)(order)]);
      return order;
    };
    expect(await runTogether(0)).toEqual(["a runs", "b runs", "a is answered", "b is answered"]);
    expect(await runTogether(200)).toEqual(["a runs", "a is answered", "b runs", "b is answered"]);
  });

  test("does not show a reader what is not committed", async () => {
    let seen: readonly unknown[] | undefined;
    const write = port.database.write((tx) => tx.run(insertName, ["a"]));
    const read = port.database.read(async (tx) => {
      seen = await tx.all(selectNames);
    });
    await read;
    await write;
    expect(seen).toEqual([]);
  });
});

describe("read", () => {
  test("refuses the use of a transaction after its end", async () => {
    const kept = await port.database.read(async (tx) => ({ tx }));
    await expect(kept.tx.all(selectNames)).rejects.toThrow("a transaction was used after its end");
    await expect(kept.tx.get(selectNames)).rejects.toThrow("a transaction was used after its end");
  });
});
