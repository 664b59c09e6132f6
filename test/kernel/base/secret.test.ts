import { describe, expect, test } from "@jest/globals";
import { Console } from "node:console";
import { PassThrough } from "node:stream";
import { format, inspect } from "node:util";
import pino from "pino";
import { equalBytes, Secret } from "../../../src/kernel/base/secret.ts";

const canary = "canary-5f2c";
const secret = new Secret(canary);
const nested = { list: [secret], map: new Map([["key", secret]]) };

function printedBy(print: (console: Console) => void): string {
  const stream = new PassThrough();
  print(new Console({ stdout: stream, stderr: stream }));
  return String(stream.read());
}

function loggedBy(fields: object): string {
  const stream = new PassThrough();
  pino(stream).info(fields);
  return String(stream.read());
}

describe("Secret", () => {
  test("gives its text to reveal only", () => {
    expect(secret.reveal()).toBe(canary);
  });

  test.each([
    ["String", String(secret)],
    // oxlint-disable-next-line typescript/restrict-template-expressions -- what somebody may do by mistake
    ["a template", `${secret}`],
    ["a concatenation", "".concat(secret as unknown as string)],
    ["JSON", JSON.stringify({ secret })],
    ["inspect", inspect(secret)],
    ["inspect of what it is nested in", inspect(nested, { depth: 9, showHidden: true, getters: true })],
    ["format %s", format("%s", secret)],
    ["format %o", format("%o", secret)],
    ["format %O", format("%O", nested)],
    ["format %j", format("%j", nested)],
    ["the console", printedBy((console) => console.log(secret, nested))],
    ["a log line", loggedBy({ secret, nested })],
  ])("shows [secret] to %s", (_where, text) => {
    expect(text).toContain("[secret]");
    expect(text).not.toContain(canary);
  });

  test.each([
    ["inspect without custom forms", inspect(secret, { customInspect: false, showHidden: true })],
    ["dir on the console", printedBy((console) => console.dir(secret, { showHidden: true }))],
    ["a copy of its fields", JSON.stringify(Object.assign({}, secret))],
    ["a structured clone", inspect(structuredClone(secret), { showHidden: true })],
    ["the list of its keys", Reflect.ownKeys(secret).map(String).join(" ")],
    ["a table on the console", printedBy((console) => console.table([secret]))],
    ["inspect of an error", inspect(new Error("failed", { cause: secret }))],
  ])("shows nothing of its text to %s", (_where, text) => {
    expect(text).not.toContain(canary);
  });
});

describe("equalBytes", () => {
  test("compares content and length", () => {
    const bytes = new Uint8Array([1, 2, 3]);
    expect(equalBytes(bytes, new Uint8Array([1, 2, 3]))).toBe(true);
    expect(equalBytes(bytes, new Uint8Array([1, 2, 4]))).toBe(false);
    expect(equalBytes(bytes, new Uint8Array([1, 2]))).toBe(false);
    expect(equalBytes(bytes, new Uint8Array([1, 2, 3, 0]))).toBe(false);
    expect(equalBytes(new Uint8Array(), new Uint8Array())).toBe(true);
  });
});
