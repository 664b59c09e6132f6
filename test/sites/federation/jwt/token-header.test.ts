import { expect, test } from "@jest/globals";
import { readTokenHeader } from "../../../../src/sites/federation/jwt/token-header.ts";

const token = "eyJh.eyJp.c2ln-_";
const read = (rawHeaders: readonly string[], name = "X-Token") =>
  readTokenHeader({ headers: {}, rawHeaders }, name);

test("the configured header is read by its name, in any case", () => {
  expect(read(["x-other", "a.b.c", "x-tOKEN", token])).toBe(token);
  expect(read(["x-token", token], "x-token")).toBe(token);
  expect(read(["x-other", token])).toBeUndefined();
});

test("without a name the header is authorization", () => {
  expect(read(["Authorization", `Bearer ${token}`], "")).toBe(token);
  expect(read(["x-token", token], "")).toBeUndefined();
  expect(read(["authorization", token])).toBeUndefined();
});

test("Bearer is cut off once, in any case", () => {
  for (const value of [token, `Bearer ${token}`, `bearer  ${token}`])
    expect(read(["x-token", value])).toBe(token);
  for (const value of [`Bearer Bearer ${token}`, `Basic ${token}`, `${token} Bearer`])
    expect(read(["x-token", value])).toBeUndefined();
});

test("a repeated header is refused, even with the same value", () => {
  expect(read(["x-token", token, "x-token", token])).toBeUndefined();
  expect(read(["x-token", token, "X-Token", ""])).toBeUndefined();
  expect(read(["authorization", token, "authorization", "x"], "")).toBeUndefined();
});

test.each([
  ["nothing", ""],
  ["two values", `${token}, ${token}`],
  ["no signature", "eyJh.eyJp."],
  ["two parts", "eyJh.eyJp"],
  ["four parts", `${token}.d`],
  ["padding", "eyJh.eyJp.c2ln="],
  ["bytes that are not ASCII", `eyJh.eyJp.c2ln\u00e9`],
  ["white space", "eyJh.eyJp. c2ln"],
  ["a line end", `${token}\n`],
])("a value with %s is refused", (_name, value) => {
  expect(read(["x-token", value])).toBeUndefined();
});

test("a value has at most 8 KiB", () => {
  const longest = `a.b.${"c".repeat(8188)}`;
  expect(read(["x-token", longest])).toBe(longest);
  expect(read(["x-token", `${longest}c`])).toBeUndefined();
});
