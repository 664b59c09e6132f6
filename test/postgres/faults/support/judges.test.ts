import { describe, expect, test } from "@jest/globals";
import type { Operation } from "../../../support/linearizability.ts";
import { findLost } from "./judge.ts";
import { judgeHistory, type Register } from "./registers.ts";
import { judgeSeen } from "./watchers.ts";

describe("the judge of watches", () => {
  test.each([
    ["accepts each event once, in order", [1, 2, 3], []],
    ["misses an event", [1, 3], ["missed: the event 2"]],
    ["sees an event that came twice", [1, 2, 2, 3], ["twice: the event 2"]],
    ["sees an event out of order", [1, 3, 2], ["out of order: the event 2"]],
    ["sees an event that the log has not got", [1, 2, 3, 4], ["made up: the event 4"]],
  ])("%s", (_what, seen, complaints) => {
    expect(judgeSeen(seen, [1, 2, 3])).toEqual(complaints);
  });
});

describe("the judge of writes", () => {
  const write = (sequence: number) => ({ method: "AddProject", sequence, sentMs: 0, answeredMs: 1 });

  test("names a write that was acknowledged and is not in the log, and a sequence that two writes got", () => {
    expect(findLost([1, 2, 3], [write(1), write(3)])).toEqual([]);
    expect(findLost([1, 3], [write(1), write(2)])).toEqual(["lost: the event 2 of AddProject"]);
    expect(findLost([1, 3], [write(3), write(3)])).toEqual(["the sequence 3 was given twice"]);
  });
});

describe("the judge of conditional updates", () => {
  const register = (operations: readonly Operation[], isDoubtful = false): Register => ({
    id: "1",
    initial: { sequence: 10, value: "a" },
    operations: [...operations],
    doubtful: isDoubtful ? [{ expected: 11, value: "c", calledAt: 2 }] : [],
    odd: [],
  });
  const swapped = (expected: number, sequence: number, value: string): Operation => ({
    kind: "swapped",
    expected,
    version: { sequence, value },
    calledAt: 0,
    answeredAt: 1,
  });
  const b = { sequence: 11, value: "b" };
  const c = { sequence: 12, value: "c" };

  test("takes an update of unknown outcome for made if the log has it, and else for not made", () => {
    expect(judgeHistory(register([swapped(10, 11, "b")], true), [b, c])).toEqual([]);
    expect(judgeHistory(register([swapped(10, 11, "b")], true), [b])).toEqual([]);
  });

  test("sees an update of unknown outcome whose effect was there before its call", () => {
    const early: Operation = { kind: "read", version: c, calledAt: 0, answeredAt: 1 };
    const complaints = judgeHistory(register([swapped(10, 11, "b"), early], true), [b, c]);
    expect(complaints).toEqual([expect.stringMatching(/^out of time: /)]);
  });

  test("sees an update that was acknowledged and lost, and one that was refused and made", () => {
    const lost = "lost: 11 was acknowledged, and the log has not got it";
    expect(judgeHistory(register([swapped(10, 11, "b")]), [])).toEqual([lost]);
    expect(judgeHistory(register([]), [b])).toEqual([
      "the log has 11 (b), which was refused or asked by nobody",
    ]);
  });
});
