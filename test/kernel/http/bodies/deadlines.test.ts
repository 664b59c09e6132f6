import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { createDeadlines, type Deadlines } from "../../../../src/kernel/http/bodies/deadlines.ts";

let deadlines: Deadlines;
let late: string[];

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
  deadlines = createDeadlines(1000);
  late = [];
});
afterEach(() => {
  jest.useRealTimers();
});

const set = (name: string) => deadlines.set(() => late.push(name));

test("each deadline is missed by itself, once and not before its time", () => {
  set("a");
  jest.advanceTimersByTime(400);
  set("b");
  jest.advanceTimersByTime(599);
  expect(late).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(late).toEqual(["a"]);
  jest.advanceTimersByTime(399);
  expect(late).toEqual(["a"]);
  jest.advanceTimersByTime(1);
  expect(late).toEqual(["a", "b"]);
  jest.advanceTimersByTime(10_000);
  expect(late).toEqual(["a", "b"]);
});

test("one that is cleared is not missed, and those after it still are", () => {
  const first = set("a");
  jest.advanceTimersByTime(10);
  set("b");
  first.clear();
  jest.advanceTimersByTime(1000);
  expect(late).toEqual(["b"]);
});

test("one that is set after all others are over is missed in its time", () => {
  set("a");
  jest.advanceTimersByTime(5000);
  set("b");
  jest.advanceTimersByTime(999);
  expect(late).toEqual(["a"]);
  jest.advanceTimersByTime(1);
  expect(late).toEqual(["a", "b"]);
});

test("one that is set while another is missed counts from then", () => {
  deadlines.set(() => set("after"));
  jest.advanceTimersByTime(1999);
  expect(late).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(late).toEqual(["after"]);
});
