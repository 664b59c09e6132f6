import { describe, expect, test } from "@jest/globals";
import {
  ServerRefusedError,
  ServerUnfitError,
} from "../../../../src/kernel/storage/postgres/connect/errors.ts";
import { createFence } from "../../../../src/kernel/storage/postgres/connect/fence.ts";
import {
  isSynchronousRequired,
  requireFitServer,
  skewOf,
} from "../../../../src/kernel/storage/postgres/connect/server-checks.ts";
import type { ServerFacts } from "../../../../src/kernel/storage/postgres/connect/server-facts.ts";

const fit: ServerFacts = {
  version: 150_000,
  encoding: "UTF8",
  isInRecovery: false,
  isReadOnly: false,
  fsync: true,
  fullPageWrites: true,
  synchronousCommit: "on",
  synchronousStandbyNames: "*",
  clockMs: 0,
  backendPid: 1,
  cluster: { systemIdentifier: "1", timeline: 1 },
};
const demands = { isDev: false, isSynchronousRequired: true };

describe("a server", () => {
  test("that is the primary and keeps its data is used", () => {
    expect(() => requireFitServer(fit, demands)).not.toThrow();
    expect(() => requireFitServer({ ...fit, synchronousCommit: "remote_apply" }, demands)).not.toThrow();
  });

  test.each<[Partial<ServerFacts>, string]>([
    [{ isInRecovery: true }, "it is a standby"],
    [{ isReadOnly: true }, "it accepts no changes"],
    [{ synchronousStandbyNames: "" }, "its commits wait for no standby"],
    [{ synchronousCommit: "off" }, "synchronous_commit is off"],
    [{ synchronousCommit: "local" }, "synchronous_commit is local"],
  ])("is not used for the moment: %j", (facts, reason) => {
    expect(() => requireFitServer({ ...fit, ...facts }, demands)).toThrow(ServerUnfitError);
    expect(() => requireFitServer({ ...fit, ...facts }, demands)).toThrow(reason);
  });

  test.each<[Partial<ServerFacts>, string]>([
    [{ version: 140_019 }, "PostgreSQL 14.19 is too old"],
    [{ encoding: "LATIN1" }, "the encoding of the database is LATIN1"],
    [{ fsync: false }, "fsync is off"],
    [{ fullPageWrites: false }, "full_page_writes is off"],
  ])("is refused: %j", (facts, reason) => {
    expect(() => requireFitServer({ ...fit, ...facts }, demands)).toThrow(ServerRefusedError);
    expect(() => requireFitServer({ ...fit, ...facts }, demands)).toThrow(reason);
  });

  test("may lose data in local mode, and may be alone where that is allowed", () => {
    const risky = { ...fit, fsync: false, fullPageWrites: false };
    expect(() => requireFitServer(risky, { ...demands, isDev: true })).not.toThrow();
    const alone = { ...fit, synchronousStandbyNames: "", synchronousCommit: "off" };
    expect(() => requireFitServer(alone, { ...demands, isSynchronousRequired: false })).not.toThrow();
  });

  test("needs a standby by default if there are several hosts", () => {
    expect(isSynchronousRequired("auto", ["a"])).toBe(false);
    expect(isSynchronousRequired("auto", ["a", "b"])).toBe(true);
    expect(isSynchronousRequired("yes", ["a"])).toBe(true);
    expect(isSynchronousRequired("no", ["a", "b"])).toBe(false);
  });
});

describe("the clock of a server", () => {
  test.each([
    [1000, 0, false, false],
    [1050, 0, false, false],
    [2100, 1000, false, false],
    [2101, 1001, true, false],
    [-1, -1001, true, false],
    [61_100, 60_000, true, false],
    [61_101, 60_001, true, true],
    [-59_001, -60_001, true, true],
  ])("at %d, when the question took from 1000 to 1100", (serverMs, skewMs, isNoteworthy, isExcessive) => {
    expect(skewOf(serverMs, 1000, 1100)).toEqual({ skewMs, isNoteworthy, isExcessive });
  });
});

describe("the fence", () => {
  const cluster = { systemIdentifier: "1", timeline: 2 };
  const names = { synchronous_standby_names: "*" };

  test("lets nobody back to an earlier timeline, neither at a connection nor in a section", () => {
    const fence = createFence({ isSynchronousRequired: false });
    fence.admit(cluster);
    fence.require({ ...names, timeline: 2 });
    expect(() => fence.require({ ...names, timeline: 1 })).toThrow(ServerUnfitError);
    expect(() => fence.admit({ ...cluster, timeline: 1 })).toThrow(
      "its timeline is 1, that of the primary 2",
    );
    fence.require({ ...names, timeline: 3 });
    expect(() => fence.admit(cluster)).toThrow(ServerUnfitError);
    expect(fence.timeline()).toBe(3);
  });

  test("lets nobody to another cluster", () => {
    const fence = createFence({ isSynchronousRequired: false });
    fence.admit(cluster);
    expect(() => fence.admit({ systemIdentifier: "2", timeline: 9 })).toThrow(ServerRefusedError);
    expect(fence.timeline()).toBe(2);
  });

  test("lets nobody write to a primary that has lost its standby for good, where that matters", () => {
    const alone = { timeline: 1, synchronous_standby_names: " " };
    expect(() => createFence({ isSynchronousRequired: true }).require(alone)).toThrow(ServerUnfitError);
    expect(() => createFence({ isSynchronousRequired: false }).require(alone)).not.toThrow();
  });
});
