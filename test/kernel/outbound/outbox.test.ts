import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createOutbox } from "../../../src/kernel/outbound/outbox.ts";
import { createTestClock } from "../../support/clock.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-sms-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

describe("the outbox", () => {
  test("holds each message as one line, with the instant it was sent", async () => {
    const file = join(folder, "lines.jsonl");
    const clock = createTestClock(Date.UTC(2026, 5, 1, 12));
    const { send } = createOutbox({ file, clock });
    await send({ to: "+41791234567", text: 'line\none "two"  \u2028' });
    clock.turn(1500);
    await send({ to: "+41797654321", text: "three" });
    expect(readFileSync(file, "utf8").split("\n")).toEqual([
      '{"to":"+41791234567","text":"line\\none \\"two\\"  \u2028","date":"2026-06-01T12:00:00.000Z"}',
      '{"to":"+41797654321","text":"three","date":"2026-06-01T12:00:01.500Z"}',
      "",
    ]);
  });

  test("holds messages that are sent at once whole and in the order of the calls", async () => {
    const file = join(folder, "order.jsonl");
    const { send } = createOutbox({ file, clock: createTestClock() });
    const texts = Array.from({ length: 50 }, (_, index) => `${index} `.repeat(1_000_000 / (index + 1) ** 2));
    await Promise.all(texts.map((text) => send({ to: "+41791234567", text })));
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { text: string }).text)).toEqual(texts);
  });

  test("holds every field of a message", async () => {
    const file = join(folder, "mail.jsonl");
    const clock = createTestClock(Date.UTC(2026, 5, 1, 12));
    await createOutbox({ file, clock }).send({ to: "ada@example.com", subject: "Hello", text: "one" });
    expect(readFileSync(file, "utf8")).toBe(
      '{"to":"ada@example.com","subject":"Hello","text":"one","date":"2026-06-01T12:00:00.000Z"}\n',
    );
  });

  test("can be read by its owner only, whatever the umask", async () => {
    const file = join(folder, "mode.jsonl");
    const before = process.umask(0);
    try {
      await createOutbox({ file, clock: createTestClock() }).send({ to: "+41791234567", text: "code" });
    } finally {
      process.umask(before);
    }
    expect(modeOf(file)).toBe(0o600);
  });

  test("is closed to others when it was open, and keeps what it held", async () => {
    const file = join(folder, "older.jsonl");
    writeFileSync(file, "before\n");
    chmodSync(file, 0o644);
    await createOutbox({ file, clock: createTestClock() }).send({ to: "+41791234567", text: "code" });
    expect(modeOf(file)).toBe(0o600);
    expect(readFileSync(file, "utf8")).toMatch(/^before\n\{.*\}\n$/);
  });

  test("is not written through a symbolic link", async () => {
    const target = join(folder, "target");
    writeFileSync(target, "");
    symlinkSync(target, join(folder, "link.jsonl"));
    const { send } = createOutbox({ file: join(folder, "link.jsonl"), clock: createTestClock() });
    await expect(send({ to: "+41791234567", text: "code" })).rejects.toThrow("ELOOP");
    expect(readFileSync(target, "utf8")).toBe("");
  });

  test("rejects without the text and the number, and takes the next message all the same", async () => {
    const file = join(folder, "absent", "sms.jsonl");
    const { send } = createOutbox({ file, clock: createTestClock() });
    const error: unknown = await send({ to: "+41791234567", text: "code 1234" }).catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).toContain("ENOENT");
    expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/4179|1234/);
    mkdirSync(join(folder, "absent"));
    await send({ to: "+41797654321", text: "code 5678" });
    expect(readFileSync(file, "utf8")).toMatch(/^\{.*5678.*\}\n$/);
  });
});
