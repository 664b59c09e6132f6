import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { scanJson } from "../../../src/sites/rpc/lanes/json/scan.ts";
import { send } from "../../kernel/http/support/http.ts";
import { sized } from "../../support/size.ts";
import { startTestServer, type TestServer } from "./support/server.ts";
import { anyCharacter } from "../../support/any-character.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  server.answers.set("echo", (_call, request) => request);
});
afterAll(() => server.stop());

const names = [
  "text",
  "small",
  "largeNumber",
  "large_number",
  "flag",
  "raw",
  "ratio",
  "texts",
  "numbers",
  "inner",
  "inners",
  "color",
];
const further = [
  "freeForm",
  "anyValue",
  "startDate",
  "period",
  "wrapped",
  "amounts",
  "left",
  "right",
  "note",
  "next",
  "__proto__",
];
const key = fc.oneof(fc.constantFrom(...names, ...further), fc.string({ unit: anyCharacter, maxLength: 4 }));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      null,
      true,
      0,
      -1,
      1.5,
      2 ** 53,
      1e308,
      "",
      "1",
      "COLOR_RED",
      "2026-01-31T12:00:00Z",
      "1s",
      "AQI=",
    ),
    fc.string({ unit: anyCharacter, maxLength: 8 }),
    fc.double({ noNaN: true }),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(key, tie("any"), { maxKeys: 4 }),
  ),
})).any;
const object = fc.dictionary(key, value, { maxKeys: 5 });

const limits = { maxDepth: 100, maxValues: 10_000 };

test("any JSON is answered or refused, never INTERNAL", async () => {
  const property = fc.asyncProperty(object, async (json) => {
    const { status, text } = await send(`${server.url}/v1/kinds`, { body: JSON.stringify(json) });
    expect([status === 200 || status === 400, text]).toEqual([true, text]);
  });
  await fc.assert(property, { numRuns: sized({ small: 80, full: 1000 }) });
}, 60_000);

test("any bytes, whole or in mutated JSON, are answered or refused, never INTERNAL", async () => {
  const mutated = fc.tuple(object, fc.nat(), fc.uint8Array({ maxLength: 3 })).map(([json, at, bytes]) => {
    const whole = Buffer.from(JSON.stringify(json));
    const cut = at % (whole.length + 1);
    return Buffer.concat([whole.subarray(0, cut), bytes, whole.subarray(cut + (at % 2))]);
  });
  const property = fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 40 }), mutated), async (body) => {
    for (const contentType of ["application/json", "application/proto"]) {
      const headers = { "content-type": contentType };
      const { status } = await send(`${server.url}/test.v1.KindsService/Echo`, { body, headers });
      expect([200, 400]).toContain(status);
    }
  });
  await fc.assert(property, { numRuns: sized({ small: 40, full: 500 }) });
}, 60_000);

test("any path and query are answered or refused, never INTERNAL", async () => {
  const part = fc.oneof(
    fc.constantFrom("v1", "kinds", "projects", "%2F", "%", "../..", "me", "users"),
    fc.string({ maxLength: 6 }),
  );
  const property = fc.asyncProperty(
    fc.array(part, { maxLength: 5 }),
    fc.dictionary(key, fc.string({ maxLength: 5 })),
    async (parts, query) => {
      const search = Object.entries(query)
        .map(([name, text]) => `${name}=${text}`)
        .join("&");
      const url = `${server.url}/${parts.join("/")}?${search}`.replaceAll("#", "");
      expect((await send(url)).status).toBeLessThan(500);
    },
  );
  await fc.assert(property, { numRuns: sized({ small: 40, full: 500 }) });
}, 60_000);

test("the scan finds nothing in what JSON.stringify wrote, and a key twice wherever it is", () => {
  fc.assert(
    fc.property(object, (json) => {
      const text = JSON.stringify(json);
      expect(scanJson(text, limits)?.kind ?? "none").toMatch(/^(none|inexact-integer)$/);
      for (const name of Object.keys(json).slice(0, 1)) {
        const twice = `${text.slice(0, -1)},${JSON.stringify(name)}:0}`;
        expect(scanJson(twice, limits)?.kind).toMatch(/^(duplicate-key|inexact-integer)$/);
      }
    }),
  );
});

test("the scan is linear in what looks like numbers and in escapes, and sees quotes behind them", () => {
  const linear = { ...limits, maxValues: 1e9 };
  const started = process.cpuUsage(); // whatever else the machine does meanwhile
  for (const unit of ["\\\\", '\\"']) expect(scanJson(`{"a":"${unit.repeat(1e6)}"}`, linear)).toBeUndefined();
  expect(scanJson(`{"a":0${"-0".repeat(4e6)}}`, linear)).toBeUndefined();
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1000).toBeLessThan(500);
  for (const spelled of ["a\\\\", '\\"', '\\\\\\"', ""])
    expect(scanJson(`{"${spelled}":0,"${spelled}":0}`, limits)?.kind).toBe("duplicate-key");
});

test("the scan refuses more values than the limit, and integers beyond 2^53 however they are written", () => {
  const kindOf = (text: string) => scanJson(text, limits)?.kind;
  expect(kindOf(JSON.stringify(Array.from({ length: 9998 }, () => 0)))).toBeUndefined();
  expect(kindOf(JSON.stringify(Array.from({ length: 10_001 }, () => 0)))).toBe("too-many");
  for (const text of [
    "9007199254740993",
    "9007199254740993.0",
    "-9007199254740993e0",
    "9007199254740993.00E+0",
  ]) {
    expect(kindOf(`{"a":${text}}`)).toBe("inexact-integer");
  }
  for (const text of ["9007199254740992", "1.5", "1e300", "-0.0"])
    expect(kindOf(`{"a":${text}}`)).toBeUndefined();
});
