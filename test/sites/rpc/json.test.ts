import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { toJson } from "@bufbuild/protobuf";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { KindsSchema } from "./support/kinds.ts";
import { send, summary } from "../../kernel/http/support/http.ts";
import { startTestServer, type TestServer } from "./support/server.ts";
import { largeTest } from "../../support/large.ts";

let server: TestServer;
let echo: string;
beforeAll(async () => {
  server = await startTestServer();
  server.answers.set("echo", (_call, request) => request);
  echo = `${server.url}/v1/kinds`;
});
afterAll(() => server.stop());
beforeEach(() => {
  server.calls.splice(0);
});

/** Compresses quickly: the best quality, which is the default, takes seconds for a large body. */
const brotli = (body: Buffer | string) =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

const decodingError = (...fields: string[]) => ({
  status: 400,
  code: 3,
  reason: "INVALID_REQUEST",
  ...(fields.length === 0 ? {} : { fields }),
});

describe("a JSON body", () => {
  test("takes snake_case and lowerCamelCase and answers with defaults, without absent messages", async () => {
    const answer = await send(echo, {
      json: { large_number: "7", unsignedNumber: 8, startDate: "2026-01-31T12:00:00Z" },
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      text: "",
      small: 0,
      count: 0,
      largeNumber: "7",
      unsignedNumber: "8",
      flag: false,
      raw: "",
      ratio: 0,
      texts: [],
      numbers: [],
      smallNumbers: [],
      inners: [],
      color: "COLOR_UNSPECIFIED",
      startDate: "2026-01-31T12:00:00Z",
      amounts: {},
    });
  });

  test("may be missing, which means {}", async () => {
    expect((await send(echo, { method: "POST" })).status).toBe(200);
    expect((await send(echo, { method: "POST", body: "" })).status).toBe(200);
  });

  test.each([
    ["an unknown field", '{"txt":"x"}', "txt"],
    ["an unknown field deep inside", '{"inners":[{"note":"a"},{"nxt":{}}]}', "inners[1].nxt"],
    ["a field under both names", '{"large_number":"1","largeNumber":"1"}', "large_number"],
    ["a key twice", '{"text":"a","text":"b"}', "text"],
    ["a key twice in an escape", '{"text":"a","te\\u0078t":"b"}', "text"],
    ["a key twice deep inside", '{"inners":[{},{"note":"a","note":"b"}]}', "inners[1].note"],
    ["a key twice in free form", '{"freeForm":{"a":1,"a":2}}', "free_form.a"],
    ["two of a oneof", '{"left":"a","right":"b"}', "right"],
    ["__proto__", '{"__proto__":{"text":"x"}}', "__proto__"],
    ["constructor", '{"constructor":{}}', "constructor"],
    ["an integer beyond 2^53 as a number", '{"unsignedNumber":9007199254740993}', "unsigned_number"],
    ["an integer beyond 2^53 in a list", '{"numbers":[1,-9007199254740993]}', "numbers[1]"],
    ["an integer beyond 2^53 in free form", '{"freeForm":{"a":[9007199254740993]}}', "free_form.a[0]"],
    ["a huge number for an integer", '{"largeNumber":1e300}', "large_number"],
    ["a fraction for an integer", '{"small":1.5}', "small"],
    ["an integer out of range", '{"small":2147483648}', "small"],
    ["a negative unsigned integer", '{"count":-1}', "count"],
    ["a text out of range", '{"unsignedNumber":"18446744073709551616"}', "unsigned_number"],
    ...["1.5", "1e-1", " 1", "1 ", "0x10", "", "1.", ".5", "e5", "+1", "--1", "1e", "NaN", "1_000", "１"].map(
      (text) =>
        [`the text ${text}, which is no integer,`, `{"largeNumber":"${text}"}`, "large_number"] as const,
    ),
    ...["1e400", "1e99999999999999999999", "9223372036854775808", "92233720368547758.08e2", "-1e19"].map(
      (text) => [`the text ${text} out of range`, `{"largeNumber":"${text}"}`, "large_number"] as const,
    ),
    ["a fraction as a text in a list", '{"smallNumbers":["1","1.5"]}', "small_numbers[1]"],
    ["a fraction as a text in a wrapper", '{"wrappedNumber":"1.5"}', "wrapped_number"],
    ["an exponent out of range in a map", '{"amounts":{"a":"1e10"}}', 'amounts["a"]'],
    ["a negative exponent form of an unsigned integer", '{"count":"-1e0"}', "count"],
    [
      "null under one name and a value under the other",
      '{"large_number":null,"largeNumber":"1"}',
      "large_number",
    ],
    ["two of a oneof beside null", '{"left":"a","middle":null,"right":"b"}', "right"],
    ["a number for a text", '{"text":5}', "text"],
    ["a text for a flag", '{"flag":"true"}', "flag"],
    ["an object for a list", '{"texts":{}}', "texts"],
    ["null in a list", '{"texts":["a",null]}', "texts[1]"],
    ["a list for a message", '{"inner":[]}', "inner"],
    ["an unknown enum name", '{"color":"COLOR_BLUE"}', "color"],
    ["a lone surrogate", '{"text":"a\\ud800"}', "text"],
    ["a lone surrogate in free form", '{"freeForm":{"a":["\\udc00"]}}', "free_form"],
    ["a lone surrogate as a key in free form", '{"freeForm":{"\\ud800":1}}', "free_form"],
    ["an infinite number in free form", '{"freeForm":{"a":1e400}}', "free_form"],
    ["an infinite number", '{"ratio":1e400}', "ratio"],
    ["no instant", '{"startDate":"tomorrow"}', "start_date"],
    ["no duration", '{"period":"long"}', "period"],
    ["a number in a wrapper of text", '{"wrapped":5}', "wrapped"],
    ["a text in a map of numbers", '{"amounts":{"a":"x"}}', 'amounts["a"]'],
    ...[
      "%%%",
      "Y=Q=",
      "====",
      "=",
      "YQ=",
      "YQ===",
      "Y",
      "YWJjZ",
      "YQ==YQ==",
      "=YQ=",
      "YQ\\n==",
      "Y Q",
      "+_+_",
      "YQ\\u00a0",
    ].map((text) => [`the broken base64 ${text}`, `{"raw":"${text}"}`, "raw"] as const),
  ])("with %s is refused, naming the field", async (_what, body, field) => {
    expect(summary(await send(echo, { body }))).toEqual(decodingError(field));
    expect(server.calls).toEqual([]);
  });

  test.each([
    ["is not JSON", "{"],
    ["is not an object", "[]"],
    ["is null", "null"],
    ["is not UTF-8", Buffer.from('{"text":"\xff"}', "latin1")],
    ["is nested too deeply", `{"anyValue":${"[".repeat(10_000)}${"]".repeat(10_000)}}`],
    ["is nested too deeply and unfinished", "[".repeat(1_000_000)],
  ])("that %s is refused", async (_what, body) => {
    expect(summary(await send(echo, { body }))).toEqual(decodingError());
  });

  test.each([
    ["", ""],
    ["YQ==", "YQ=="],
    ["YQ", "YQ=="],
    ["YWI=", "YWI="],
    ["YWI", "YWI="],
    ["+/+/", "+/+/"],
    ["-_-_", "+/+/"],
    ["-_", "+w=="],
    ["-w==", "+w=="],
  ])("takes the base64 %j, of both alphabets, with padding and without", async (text, raw) => {
    expect((await send(echo, { json: { raw: text } })).json.raw).toBe(raw);
  });

  test.each([
    "2030-02-30T00:00:00Z",
    "2030-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2030-04-31T00:00:00Z",
    "2030-00-01T00:00:00Z",
    "2030-13-01T00:00:00Z",
    "2030-01-00T00:00:00Z",
    "2030-01-32T00:00:00Z",
    "2030-01-01T24:00:00Z",
    "2030-01-01T00:60:00Z",
    "2016-12-31T23:59:60Z",
    "2030-01-01T00:00:00+24:00",
    "2030-01-01T00:00:00-00:60",
    "2030-01-01T00:00:00+99:99",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
  ])("with the instant %s, which there is not, is refused by the rule of the field", async (startDate) => {
    const refused = { status: 400, code: 3, reason: "FIELD_INVALID", fields: ["start_date"] };
    expect(summary(await send(echo, { json: { startDate } }))).toEqual(refused);
    const query = `start_date=${encodeURIComponent(startDate)}`;
    expect(summary(await send(`${server.url}/v1/kinds/x?${query}`))).toEqual(refused);
    expect(server.calls).toEqual([]);
  });

  test.each([
    ["2028-02-29T23:59:59.999999999+23:59", "2028-02-29T00:00:59.999999999Z"],
    ["2000-02-29T00:00:00-00:00", "2000-02-29T00:00:00Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"],
  ])("takes the instant %s", async (startDate, stored) => {
    expect((await send(echo, { json: { startDate } })).json.startDate).toBe(stored);
  });

  test("keeps what looks like a prototype inside free form as data", async () => {
    const freeForm = '{"__proto__":{"polluted":true},"constructor":1}';
    const answer = await send(echo, { body: `{"freeForm":${freeForm}}` });
    expect(JSON.stringify(answer.json.freeForm)).toBe(freeForm);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("takes integers up to 2^53 as numbers and all others as text, exactly", async () => {
    const body = '{"largeNumber":-9007199254740992,"unsignedNumber":"18446744073709551615"}';
    const { json } = await send(echo, { body });
    expect([json.largeNumber, json.unsignedNumber]).toEqual(["-9007199254740992", "18446744073709551615"]);
  });

  test("takes enums by name and by number, null for absent, and any value in free form", async () => {
    const json = {
      color: 1,
      text: null,
      inner: null,
      anyValue: null,
      freeForm: { a: [null, 1.5, true, "x"] },
    };
    const answer = await send(echo, { json });
    expect(answer.json).toMatchObject({
      color: "COLOR_RED",
      text: "",
      anyValue: null,
      freeForm: json.freeForm,
    });
  });
});

describe("the content type", () => {
  const withType = (contentType: string, body = "{}") =>
    send(echo, { body, headers: { "content-type": contentType } });

  test.each(["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'])(
    "%s is taken",
    async (contentType) => {
      expect((await withType(contentType)).status).toBe(200);
    },
  );

  test.each([
    "text/plain",
    "application/json; charset=latin1",
    "application/x-www-form-urlencoded",
    "application/proto",
    "application/jsonp",
  ])("%s is 415 on a REST path, before the token is looked at", async (contentType) => {
    const answer = await send(echo, {
      body: "{}",
      headers: { "content-type": contentType, authorization: "" },
    });
    expect(summary(answer)).toEqual({ status: 415, code: 3, reason: "CONTENT_TYPE_UNSUPPORTED" });
  });

  test("must be there when a body is", async () => {
    const answer = await send(echo, {
      body: new TextEncoder().encode("{}"),
      headers: { "content-type": "" },
    });
    expect(summary(answer)).toEqual({ status: 415, code: 3, reason: "CONTENT_TYPE_UNSUPPORTED" });
  });
});

describe("the content encoding", () => {
  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotli],
  ])("%s is undone", async (encoding, compress) => {
    const body = compress(Buffer.from('{"text":"packed"}'));
    expect((await send(echo, { body, headers: { "content-encoding": encoding } })).json.text).toBe("packed");
  });

  test("that is unknown is 415", async () => {
    for (const encoding of ["zstd", "gzip, gzip", "constructor"]) {
      const answer = await send(echo, { body: "{}", headers: { "content-encoding": encoding } });
      expect(summary(answer)).toEqual({ status: 415, code: 12, reason: "ENCODING_UNSUPPORTED" });
    }
  });

  test("that is not what the body has is refused", async () => {
    expect(summary(await send(echo, { body: "{}", headers: { "content-encoding": "gzip" } }))).toEqual(
      decodingError(),
    );
  });

  largeTest("does not let a small body become a huge one", async () => {
    for (const [encoding, compress] of [
      ["gzip", gzipSync],
      ["br", brotli],
    ] as const) {
      const body = compress(Buffer.alloc(32 * 1024 * 1024, 0x20));
      const answer = await send(echo, { body, headers: { "content-encoding": encoding } });
      expect(summary(answer)).toEqual({ status: 413, code: 8, reason: "MESSAGE_TOO_LARGE" });
    }
  });
});

describe("the size of a body", () => {
  largeTest("is limited to 8 MiB", async () => {
    const body = (length: number) => `{"text":"${"x".repeat(length - 11)}"}`;
    expect((await send(echo, { body: body(8 * 1024 * 1024) })).status).toBe(200);
    expect(summary(await send(echo, { body: body(8 * 1024 * 1024 + 1) }))).toEqual({
      status: 413,
      code: 8,
      reason: "MESSAGE_TOO_LARGE",
    });
  });

  test("is limited when it is not announced", async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20)),
    });
    const init = {
      method: "POST",
      body,
      duplex: "half",
      headers: { authorization: "Bearer good", "content-type": "application/json" },
    };
    const response = await fetch(echo, init as RequestInit);
    expect(response.status).toBe(413);
  });

  test("does not matter before the token is known", async () => {
    const answer = await send(echo, { body: "x".repeat(9 * 1024 * 1024), headers: { authorization: "" } });
    expect(answer.status).toBe(401);
  });
});

describe("the rpc path", () => {
  const path = "/test.v1.KindsService/Echo";

  test("takes JSON and binary protobuf", async () => {
    expect((await send(`${server.url}${path}`, { json: { text: "a" } })).json.text).toBe("a");
    const body = Uint8Array.of(0x0a, 1, 0x61);
    const headers = { "content-type": "application/proto" };
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      body,
      headers: { ...headers, authorization: "Bearer good" },
    });
    expect(response.headers.get("content-type")).toBe("application/proto");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(body);
  });

  test.each([
    ["truncated", Uint8Array.of(0x0a, 5, 0x61)],
    ["not UTF-8", Uint8Array.of(0x0a, 1, 0xff)],
  ])("refuses binary protobuf that is %s with google.rpc.Status in JSON", async (_what, body) => {
    const answer = await send(`${server.url}${path}`, {
      body,
      headers: { "content-type": "application/proto" },
    });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(summary(answer)).toEqual(decodingError());
  });

  test("takes only POST", async () => {
    for (const method of ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]) {
      const answer = await send(`${server.url}${path}`, { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    }
    expect(summary(await send(`${server.url}${path}?message=%7B%7D&encoding=json`))).toEqual({
      status: 405,
      code: 12,
      reason: "METHOD_NOT_ALLOWED",
    });
  });

  test("of a method that streams takes no plain JSON", async () => {
    const answer = await send(`${server.url}/test.v1.KindsService/Watch`, { json: {} });
    expect(summary(answer)).toEqual({ status: 415, code: 3, reason: "CONTENT_TYPE_UNSUPPORTED" });
  });
});

test("what was decoded is what the method gets", async () => {
  await send(echo, { json: { text: "a", numbers: ["1", 2] } });
  expect(server.calls.map(({ request }) => toJson(KindsSchema, request))).toEqual([
    { text: "a", numbers: ["1", "2"] },
  ]);
});
