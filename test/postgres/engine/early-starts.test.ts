import { describe, expect, test } from "@jest/globals";
import {
  fail,
  insertChild,
  insertParent,
  nothing,
  parentsOf,
  run,
  settle,
  useFamilies,
  type Work,
} from "./early-support.ts";
import { statementsOf } from "./support.ts";

const on = useFamilies();
const { early, first } = on;
const unchanged = { kind: "unavailable", message: expect.stringContaining("nothing was changed") };

describe("a command that is started early", () => {
  test("gets its answer, and writes, at its turn", async () => {
    const steps: string[] = [];
    const command = (name: string) =>
      early(async (tx) => {
        steps.push(`${name} starts`);
        await tx.get("SELECT id FROM parents WHERE id = ?", [name]);
        steps.push(`${name} has read`);
        await tx.run(insertParent, [name, ""]);
        steps.push(`${name} has written`);
      });
    const texts = await statementsOf(() => Promise.all([command("x"), command("y")]));
    expect(steps).toEqual([
      "y starts", // just before the command whose turn it is
      "x starts",
      "x has read",
      "x has written",
      "y has read",
      "y has written",
    ]);
    const sent = texts.filter((text) => /\bparents\b/.test(text)).map((text) => text.slice(0, 6));
    expect(sent).toEqual(["SELECT", "SELECT", "INSERT"]);
  });

  test("is one that says so", async () => {
    const steps: string[] = [];
    const later = async () => void steps.push("later");
    await Promise.all([first(async () => void steps.push("first")), on.database.write(later)]);
    expect(steps).toEqual(["first", "later"]);
  });

  test("has at its turn what it wants besides reads, in the order in which it wanted it", async () => {
    const [, seen] = await Promise.all([
      first((tx) => tx.run(insertParent, ["r", ""])),
      early(async (tx) => {
        const all = await Promise.all([
          parentsOf(tx),
          tx.run(insertParent, ["s", ""]),
          parentsOf(tx),
          tx.nested((part) => part.change("DELETE FROM parents WHERE id = 'r'")),
        ]);
        return [...all, await parentsOf(tx), await tx.reserveSequences(1)];
      }),
    ]);
    expect(seen).toEqual(["pqr", undefined, "pqrs", 1, "pqs", expect.any(Number)]);
  });

  test("has sequences behind those of the commands before it, and ids of its own", async () => {
    const given = await Promise.all(
      Array.from({ length: 40 }, () =>
        early(async (tx) => {
          const id = tx.nextId();
          await parentsOf(tx);
          return { id, sequence: await tx.reserveSequences(2), commit: tx.commit, isUndone: tx.isUndone() };
        }),
      ),
    );
    const sequences = given.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
    expect(new Set(given.map(({ id }) => id)).size).toBe(40);
    expect(new Set(given.map(({ commit }) => commit)).size).toBe(1);
    expect(given.some(({ isUndone }) => isUndone)).toBe(false);
  });

  test("does not hold up those before it by a read that locks or is a function of more than rows", async () => {
    const texts = await statementsOf(() =>
      Promise.all([
        first((tx) => tx.change("UPDATE parents SET value = 'first'")),
        early((tx) => tx.all("SELECT id FROM parents FOR SHARE")),
        early((tx) => tx.all("SELECT set_config('application_name', 'early', true)")),
      ]),
    );
    const from = texts.indexOf("UPDATE parents SET value = 'first'");
    expect(from).toBeGreaterThan(0);
    expect(texts.slice(0, from).filter((text) => /FOR SHARE|'early'/.test(text))).toEqual([]);
  });
});

describe("what a command has acted on without a statement", () => {
  /** Returns how often the command began, and what the watch said then. */
  const watching = (tables: readonly string[]) => {
    const watch = on.database.watchOwn(tables);
    const seen: number[] = [];
    const command = early(async (tx) => {
      const said = watch.written();
      seen.push(said);
      await parentsOf(tx);
      return said;
    });
    return { watch, seen, command };
  };

  test.each<[what: string, write: Work<unknown>]>([
    ["written", run(insertChild, ["c", "p", ""])],
    ["written and undone", async (tx) => await tx.run(insertChild, ["c", "p", ""]).then(fail)],
  ])("is thrown away when a watched table is %s before its turn", async (_what, write) => {
    const before = first(write);
    const { watch, seen, command } = watching(["children"]);
    await settle(before);
    expect(await command).toBe(watch.written());
    expect(seen).toEqual([0, 1]);
  });

  test("counts when other tables are written", async () => {
    on.database.watchOwn(["parents"]);
    const before = first(run(insertParent, ["r", ""]));
    const { seen, command } = watching(["parents"]);
    await Promise.all([before, command]);
    expect(seen).toEqual([0, 1]);
    const other = first(run("UPDATE settings SET value = 'x'"));
    const again = watching(["children"]);
    await Promise.all([other, again.command]);
    expect(again.seen).toHaveLength(1);
  });
});

describe("a command that fails before its turn", () => {
  test.each<[string, () => never]>([
    [
      "at once",
      () => {
        throw new Error("refused");
      },
    ],
  ])("%s is refused at its turn, and others go on", async (_when, refuse) => {
    const all = await settle(
      first(nothing),
      early(refuse),
      early(async () => refuse()),
      early(parentsOf),
    );
    expect(all).toEqual([undefined, new Error("refused"), new Error("refused"), "pq"]);
  });

  test("is started again if what it started from has changed", async () => {
    const watch = on.database.watchOwn(["children"]);
    const [, seen] = await settle(
      first(run(insertChild, ["c", "p", ""])),
      early(async (tx) => {
        if (watch.written() === 0) throw new Error("too early");
        return await parentsOf(tx);
      }),
    );
    expect(seen).toBe("pq");
  });
});

describe("a command that does not come to its turn", () => {
  test("gets no answer when its deadline has passed or its caller is gone", async () => {
    const seen: unknown[] = [];
    const ask: Work<void> = async (tx) => void seen.push(await parentsOf(tx));
    const gone = new AbortController();
    const all = await settle(
      first(async () => {
        on.clock.turn(50);
        gone.abort();
      }),
      early(ask, { deadlineMs: on.clock.nowMs() + 50 }),
      early(ask, { signal: gone.signal }),
      early(parentsOf),
    );
    expect(all).toMatchObject([undefined, { reason: "DEADLINE_EXCEEDED" }, { reason: "CANCELLED" }, "pq"]);
    expect(seen).toEqual([]);
  });

  test("gets no answer when it has waited too long", async () => {
    const seen: unknown[] = [];
    const { signal } = new AbortController();
    const all = await settle(
      first(async (tx) => {
        await tx.get("SELECT pg_sleep(2.8)");
        await tx.get("SELECT pg_sleep(2.8)");
      }),
      early(async (tx) => void seen.push(await parentsOf(tx)), { signal }),
      early(parentsOf),
    );
    expect(all).toMatchObject([undefined, unchanged, "pq"]);
    expect(seen).toEqual([]);
  });

  test("is started afresh in the next section when the time of its own is over", async () => {
    const commits: object[] = [];
    const before = first(async ({ commit }) => {
      on.clock.turn(100);
      return { commit };
    });
    const last = early(async (tx) => {
      commits.push(tx.commit);
      return await parentsOf(tx);
    });
    const { commit } = await before;
    expect(await last).toBe("pq");
    expect(commits[0]).toBe(commit);
    expect(commits[1]).not.toBe(commit);
    expect(commits).toHaveLength(2);
  });

  test("is not started in a section that is full before its turn", async () => {
    let starts = 0;
    const commits = await Promise.all(
      Array.from({ length: 130 }, () =>
        early(async (tx) => {
          starts += 1;
          await parentsOf(tx);
          return { commit: tx.commit };
        }),
      ),
    );
    expect(starts).toBe(130);
    expect(new Set(commits.map(({ commit }) => commit)).size).toBe(2);
  });

  test("is started afresh when the section is lost", async () => {
    const texts: string[] = [];
    const [lost, next] = await settle(
      first(async (tx) => {
        await tx.run(insertParent, ["r", ""]);
        await tx.change("UPDATE parents SET value = 'x'");
        const own = await tx.get<{ name: string }>("SELECT current_database() AS name");
        await on.cluster.ask(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE state = 'idle in transaction' AND datname = '${own?.name ?? ""}'`,
        );
        await tx.get("SELECT 1");
      }),
      early(async (tx) => {
        texts.push("start");
        return await parentsOf(tx);
      }),
    );
    expect(lost).toMatchObject(unchanged);
    expect(next).toBe("pq");
    expect(texts).toEqual(["start", "start"]);
  });
});

test("a command that was started early gets the error of its own row", async () => {
  const all = await settle(
    first(run(insertParent, ["r", ""])),
    early(async (tx) => {
      await tx.get("SELECT id FROM parents WHERE id = ?", ["s"]);
      await tx.run(insertChild, ["c", "none", ""]);
    }),
  );
  expect(all).toMatchObject([unchanged, { code: "23503" }]);
});

describe("an early read that PostgreSQL refuses", () => {
  test("loses the section, which can be tried again; then it fails alone, and nothing is started early", async () => {
    const steps: string[] = [];
    const attempt = () =>
      settle(
        first(async (tx) => {
          steps.push("first");
          await tx.run(insertParent, [`r${steps.length}`, ""]);
          await tx.get("SELECT 1");
        }),
        early(async (tx) => {
          steps.push("refused");
          return await tx.get("SELECT 1 / 0 AS value");
        }),
        early(async (tx) => {
          steps.push("last");
          return (await parentsOf(tx)).length;
        }),
      );
    const [before, refused] = await attempt();
    expect(before).toMatchObject(unchanged);
    expect(refused).toMatchObject({ code: "22012" }); // in a section of its own, or with the last one
    steps.length = 0;
    const [one, two, three] = await attempt();
    expect([one, three]).toEqual([undefined, 2 + 2]);
    expect(two).toMatchObject({ code: "22012" });
    expect(steps).toEqual(["first", "refused", "last"]);
  });
});
