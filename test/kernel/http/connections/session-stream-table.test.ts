import { describe, expect, test } from "@jest/globals";
import { FewStreams, StreamTable } from "../../../../src/kernel/http/connections/session-stream-table.ts";

describe("the streams of a session", () => {
  test("are found by their ids, also those that share a bucket", () => {
    const table = new StreamTable();
    for (let id = 1; id < 1000; id += 2) table.set(id, `stream ${id}`);
    expect(table.size).toBe(500);
    expect(table.get(1)).toBe("stream 1");
    expect(table.get(129)).toBe("stream 129");
    expect(table.get(1001)).toBeUndefined();
    table.set(129, "another");
    expect(table.get(129)).toBe("another");
    expect(table.size).toBe(500);
  });

  test("are gone when they are taken out, and no others", () => {
    const table = new StreamTable();
    for (let id = 1; id < 1000; id += 2) table.set(id, id);
    for (const id of [1, 129, 257, 999]) expect(table.delete(id)).toBe(true);
    expect(table.delete(129)).toBe(false);
    expect(table.size).toBe(496);
    for (let id = 1; id < 1000; id += 2) expect(table.has(id)).toBe(![1, 129, 257, 999].includes(id));
  });

  test("are all seen once, also when each is taken out on the way", () => {
    const table = new StreamTable();
    const few = new FewStreams();
    for (let id = 1; id < 400; id += 2) {
      table.set(id, id);
      few.add(id).add(id);
    }
    const seen: unknown[] = [];
    table.forEach((stream, id) => {
      seen.push(stream);
      table.delete(id);
    });
    expect(new Set(seen).size).toBe(200);
    expect(seen.length).toBe(200);
    expect(table.size).toBe(0);
    expect(few.size).toBe(200);
    few.forEach((stream) => few.delete(stream));
    expect(few.size).toBe(0);
    expect(few.delete(1)).toBe(false);
  });

  test("are not seen when another one before them took them out", () => {
    const table = new StreamTable().set(1, 1).set(3, 3);
    const few = new FewStreams().add(1).add(3);
    let seen = 0;
    table.forEach(() => {
      seen++;
      table.delete(1);
      table.delete(3);
    });
    few.forEach(() => {
      seen++;
      few.delete(1);
      few.delete(3);
    });
    expect(seen).toBe(2);
  });
});
