import { describe, expect, test } from "@jest/globals";
import type { WriteTransaction } from "../../../../src/kernel/base/database.ts";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import { insertName, never, putName as put, selectNames, usePort } from "./open-place.ts";

const port = usePort();
const refused = () => new Problem({ kind: "invalid", reason: "FIELD_INVALID", message: "no" });

test("a pause ends work that nobody waits for any more, and nothing of it stays", async () => {
  const deadlineMs = port.clock.nowMs() + 1000;
  const late = port.database.write(
    async (tx) => {
      await put(tx, "late");
      port.clock.turn(1000);
      await tx.pause();
      throw new Error("the work went on");
    },
    { deadlineMs },
  );
  await expect(late).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  expect(await port.names()).toEqual([]);
});

describe("a part of a write", () => {
  test("that fails takes back what it did, and nothing else", async () => {
    const problem = refused();
    const seen = await port.database.write(async (tx) => {
      await put(tx, "before");
      const failed = await tx
        .nested(async (part) => {
          await put(part, "in the part");
          throw problem;
        })
        .catch((error: unknown) => error);
      const left = await tx.all<{ name: string }>("SELECT name FROM settings ORDER BY name");
      await put(tx, "behind");
      return { failed, left: left.map(({ name }) => name) };
    });
    expect(seen.failed).toBe(problem);
    expect(seen.left).toEqual(["before"]);
    expect(await port.names()).toEqual(["before", "behind"]);
  });

  test("returns what it made, and is undone with the whole", async () => {
    expect(await port.database.write((tx) => tx.nested(async (part) => await put(part, "a")))).toBe(1);
    const failing = port.database.write(async (tx) => {
      await tx.nested((part) => put(part, "b"));
      throw refused();
    });
    await expect(failing).rejects.toMatchObject({ reason: "FIELD_INVALID" });
    expect(await port.names()).toEqual(["a"]);
  });

  test("says that it was undone, by itself or with the whole, and only then", async () => {
    const parts: WriteTransaction[] = [];
    const keep = async (tx: WriteTransaction, error?: Error) => {
      parts.push(tx);
      await put(tx, `part ${parts.length}`);
      if (error !== undefined) throw error;
    };
    await port.database.write(async (tx) => {
      await keep(tx);
      await tx.nested(keep);
      await tx.nested(async (part) => await keep(part, refused())).catch(() => {});
    });
    const failing = port.database.write(async (tx) => {
      await tx.nested(keep);
      await keep(tx, refused());
    });
    await expect(failing).rejects.toMatchObject({ reason: "FIELD_INVALID" });
    expect(parts.map((tx) => tx.isUndone())).toEqual([false, false, true, true, true]);
  });

  test("may have parts, each of which may fail", async () => {
    await port.database.write(async (tx) => {
      await tx.nested(async (part) => {
        await put(part, "outer");
        const inner = part.nested(async (within) => {
          await put(within, "inner");
          throw refused();
        });
        await inner.catch(() => {});
        await put(part, "outer again");
      });
    });
    expect(await port.names()).toEqual(["outer", "outer again"]);
  });

  test("may be one of a thousand, and leaves the neighbours of the write alone", async () => {
    const one = port.database.write(async (tx) => {
      for (let index = 0; index < 1000; index++)
        await tx
          .nested(async (part) => {
            await put(part, `${index}`);
            if (index % 2 === 1) throw refused();
          })
          .catch(() => {});
    });
    const other = port.database.write((tx) => put(tx, "other"));
    await Promise.all([one, other]);
    expect(await port.names()).toHaveLength(501);
  });

  test.each(["done", "undone"])("does nothing any more once it is %s", async (how) => {
    await port.database.write(async (tx) => {
      const parts: WriteTransaction[] = [];
      await tx
        .nested(async (part) => {
          parts.push(part);
          if (how === "undone") throw refused();
        })
        .catch(() => {});
      for (const part of parts) await expect(put(part, "late")).rejects.toThrow("after its end");
      expect(parts).toHaveLength(1);
      await put(tx, "behind");
    });
    expect(await port.names()).toEqual(["behind"]);
  });

  test("is the only one that can be used until it ends", async () => {
    const write = port.database.write(async (tx) => {
      const part = tx.nested(async (inner) => {
        await expect(tx.run(insertName, ["outside"])).rejects.toThrow("while a part of it was under way");
        await expect(tx.get(selectNames)).rejects.toThrow("while a part of it was under way");
        await expect(tx.nested(async () => {})).rejects.toThrow("while a part of it was under way");
        await inner.run(insertName, ["inside"]);
      });
      await part;
      await tx.run(insertName, ["afterwards"]);
    });
    await write;
    expect(await port.names()).toEqual(["afterwards", "inside"]);
  });

  test("is refused after the end of the write", async () => {
    const { tx } = await port.database.write(async (given) => ({ tx: given }));
    await expect(tx.nested(async () => 1)).rejects.toThrow("after its end");
    await expect(tx.pause()).rejects.toThrow("after its end");
  });

  test("has sequences of its own, which are not given again when it fails", async () => {
    const given = await port.database.write(async (tx) => {
      const first = await tx.reserveSequences(1);
      await tx
        .nested(async (part) => {
          await part.reserveSequences(5);
          throw refused();
        })
        .catch(() => {});
      return [first, await tx.reserveSequences(1)];
    });
    expect(given).toEqual([port.clock.nowMs() * 1000, port.clock.nowMs() * 1000 + 6]);
  });
});

describe("a pause of a write", () => {
  test("lets reads and timers have their turn, which do not see what is not committed; writes wait", async () => {
    const order: string[] = [];
    let isOver = false;
    const long = port.database.write(async (tx) => {
      await put(tx, "long");
      while (!order.includes("read") || !order.includes("timer")) await tx.pause();
      isOver = true;
    });
    const next = port.database.write(async (tx) => {
      order.push(isOver ? "write behind it" : "write beside it");
      await put(tx, "next");
    });
    await new Promise(setImmediate);
    setTimeout(() => order.push("timer"), 0);
    expect(await port.names()).toEqual([]);
    order.push("read");
    await Promise.all([long, next]);
    expect(order.toSorted()).toEqual(["read", "timer", "write behind it"]);
    expect(order.at(-1)).toBe("write behind it");
    expect(await port.names()).toEqual(["long", "next"]);
  });

  test.each([0, 1, 3])("leaves work that awaits something else refused, after %d pauses", async (pauses) => {
    const stuck = port.database.write(async (tx) => {
      for (let index = 0; index < pauses; index++) await tx.pause();
      await put(tx, "stuck");
      await never();
    });
    await expect(stuck).rejects.toThrow("awaited something other");
    await port.database.write((tx) => put(tx, "next"));
    expect(await port.names()).toEqual(["next"]);
  });

  test("may be the first that a write does", async () => {
    await port.database.write(async (tx) => {
      await tx.pause();
      await put(tx, "a");
    });
    expect(await port.names()).toEqual(["a"]);
  });

  test("keeps a part of the work that is under way", async () => {
    await port.database.write(async (tx) => {
      await tx
        .nested(async (part) => {
          await put(part, "undone");
          await part.pause();
          throw refused();
        })
        .catch(() => {});
      await tx.nested(async (part) => {
        await put(part, "done");
        await part.pause();
      });
    });
    expect(await port.names()).toEqual(["done"]);
  });

  test("of a write whose deadline passes meanwhile commits nothing", async () => {
    const late = port.database.write(
      async (tx) => {
        await put(tx, "late");
        await tx.pause();
        port.clock.turn(1000);
      },
      { deadlineMs: port.clock.nowMs() + 1000 },
    );
    await expect(late).rejects.toMatchObject({ kind: "deadline" });
    expect(await port.names()).toEqual([]);
  });
});
