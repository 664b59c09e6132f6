import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { EventEmitter } from "node:events";
import type { Database } from "../../../../src/kernel/base/database.ts";
import { type CallScope, openCallScope } from "../../../../src/sites/rpc/calls/call-scope.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";

// What a caller learns whose time is over, or who is gone, while their change is on its way to the disk.

let fixture: FeatureFixture;
let answering: EventEmitter;
let scope: CallScope;

beforeEach(async () => {
  fixture = await openFeatureFixture();
  answering = new EventEmitter();
  scope = openCallScope(fixture.clock, answering, 60_000);
});
afterEach(() => {
  scope.close();
  return fixture.close();
});

const insert =
  (name: string): Parameters<Database["write"]>[0] =>
  (tx) =>
    tx.run("INSERT INTO settings (name, value) VALUES (?, '')", [name]);
const count = (name: string) =>
  fixture.database.read((tx) => tx.all("SELECT 1 FROM settings WHERE name = ?", [name]));
const options = () => ({
  deadlineMs: scope.deadlineMs,
  signal: scope.signal,
  onAccepted: scope.waitForOutcome,
});

test("a change that was done in time is answered with its outcome, however long the commit takes", async () => {
  const work = scope.bound(fixture.database.write(insert("a"), options()));
  // In the same commit, after it: the time of the first one is over when this one ends.
  const other = fixture.database.write(async (tx) => {
    fixture.clock.turn(60_000);
    scope.abort(new Error("the time is over"));
    await tx.pause();
  });
  await Promise.all([work, other]);
  expect(await count("a")).toHaveLength(1);
});

test("a change that was not done in time is refused, and nothing of it stays", async () => {
  const work = scope.bound(
    fixture.database.write(async (tx) => {
      await insert("a")(tx);
      scope.abort(new Error("the time is over"));
    }, options()),
  );
  await expect(work).rejects.toThrow("the time is over");
  await fixture.database.write(insert("b")); // behind it
  expect([await count("a"), await count("b")]).toEqual([[], [{ 1: 1 }]]);
});

test("a caller who is gone before the work is done waits for nothing", async () => {
  const work = scope.bound(new Promise<void>(() => {}));
  answering.emit("close");
  await expect(work).rejects.toMatchObject({ reason: "CANCELLED" });
});
