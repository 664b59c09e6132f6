// The text format of gRPC-web: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import { decodeText } from "../../../support/web-text.ts";
import { frame, statusSummary } from "../../../kernel/http/support/http.ts";
import { readStatus } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";
import {
  createTextCaller,
  framesOf,
  type TextAnswer,
  type TextCaller,
  type Version,
  versions,
} from "../support/text-calls.ts";

const echoPath = "/test.v1.KindsService/Echo";
const watchPath = "/test.v1.KindsService/Watch";
const maxMessageBytes = 1000;
const textType = "application/grpc-web-text+proto";

let server: TestServer;
let caller: TextCaller;
beforeAll(async () => {
  server = await startTestServer({
    limits: { maxMessageBytes },
    corsOrigins: ["https://console.example.com"],
  });
  caller = createTextCaller(server.url);
});
afterAll(async () => {
  caller.close();
  await server.stop();
});
beforeEach(() => {
  server.calls.splice(0);
  server.answers.clear();
  server.answers.set("echo", (_call, request) => request);
});

const open: TextCaller["open"] = (...input) => caller.open(...input);

/** Calls Echo, or another method. */
async function call(
  version: Version,
  request: { path?: string; body: readonly string[]; headers?: Readonly<Record<string, string>> },
): Promise<TextAnswer> {
  return await caller.call(version, { path: echoPath, ...request });
}

/** Returns what the trailers say, in the last frame or in the headers. */
function refusalOf({ headers, frames }: TextAnswer) {
  const last = frames.at(-1)?.data.toString() ?? "";
  const details = headers["grpc-status-details-bin"] ?? /grpc-status-details-bin: (\S+)/.exec(last)?.[1];
  return statusSummary(readStatus(Buffer.from(details ?? "", "base64")));
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
/** A message that has that text. */
const messageOf = (text: string): Buffer =>
  Buffer.concat([
    Uint8Array.of(0x0a, (text.length & 127) | (text.length > 127 ? 128 : 0)),
    ...(text.length > 127 ? [Uint8Array.of(text.length >> 7)] : []),
    Buffer.from(text),
  ]);
const textOf = (message: string): string => base64(frame(messageOf(message)));
const succeeded = { flags: 0x80, data: Buffer.from("grpc-status: 0\r\n") };

describe.each(versions)("a call in text on %s", (version) => {
  test("is answered in text", async () => {
    const answer = await call(version, { body: [textOf("a")] });
    expect(answer.headers).toMatchObject({
      "content-type": textType,
      "content-length": String(answer.text.length),
    });
    expect(answer.text).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect(answer.frames).toEqual([{ flags: 0, data: messageOf("a") }, succeeded]);
  });

  test("may be of the type with +proto, with parameters, and in any case", async () => {
    for (const each of [textType, "Application/gRPC-Web-Text; charset=utf-8"]) {
      const answer = await call(version, { body: [textOf("a")], headers: { "content-type": each } });
      expect(answer.frames).toEqual([{ flags: 0, data: messageOf("a") }, succeeded]);
    }
  });

  test("may be padded anywhere and come one character at a time", async () => {
    const bytes = frame(messageOf("abcdefg"));
    const padded = [bytes.subarray(0, 1), bytes.subarray(1, 6), bytes.subarray(6)].map(base64).join("");
    expect(padded).toMatch(/==.*=/);
    for (const body of [[padded], Array.from(padded)]) {
      const { frames } = await call(version, { body });
      expect(frames).toEqual([{ flags: 0, data: messageOf("abcdefg") }, succeeded]);
    }
  });

  test.each([
    ["a character of another alphabet", "AAAAAAA-"],
    ["padding inside", "AA=AAAAA"],
    ["padding alone", "===="],
    ["a group that is not whole", "AAAAAAA"],
    ["a line break", "AAAA\r\nAAA="],
    ["binary frames", "\0\0\0\0\0"],
  ])("with %s is INVALID_REQUEST, in text", async (_what, body) => {
    const answer = await call(version, { body: [body] });
    expect(answer.headers["content-type"]).toBe(textType);
    expect(answer.frames).toHaveLength(1);
    expect(refusalOf(answer)).toEqual({ code: 3, reason: "INVALID_REQUEST" });
    expect(answer.frames[0]!.data.toString()).toContain("base64");
    expect(server.calls).toEqual([]);
  });

  test("is held to the limit by the bytes of its message", async () => {
    // The frame has five bytes, the text a tag and a length of two.
    const longest = "x".repeat(maxMessageBytes - 3);
    const text = textOf(longest);
    const headers = { "content-length": String(text.length) };
    const { frames } = await call(version, { body: [text], headers });
    expect(frames).toEqual([{ flags: 0, data: messageOf(longest) }, succeeded]);
    const padded = [...frame(messageOf(longest))].map((byte) => base64(Uint8Array.of(byte))).join("");
    expect((await call(version, { body: [padded] })).frames).toHaveLength(2);
    expect(refusalOf(await call(version, { body: [textOf(`${longest}x`)] }))).toEqual({
      code: 8,
      reason: "MESSAGE_TOO_LARGE",
    });
  });

  test("is refused in headers alone, of the type of text, for what the headers say", async () => {
    const body = [textOf("a")];
    const refused = [
      [await call(version, { body, path: "/test.v1.KindsService/No" }), 12, "ROUTE_NOT_FOUND"],
      [
        await call(version, { body, path: watchPath, headers: { "grpc-timeout": "ten" } }),
        3,
        "INVALID_REQUEST",
      ],
    ] as const;
    for (const [answer, code, reason] of refused) {
      expect([answer.text, answer.headers["content-type"]]).toEqual(["", textType]);
      expect(refusalOf(answer)).toEqual({ code, reason });
    }
  });

  test.each([
    ["without a good token", { authorization: "Bearer bad" }, 16, "TOKEN_INVALID"],
    ["with an unknown compression", { "grpc-encoding": "zstd" }, 12, "ENCODING_UNSUPPORTED"],
  ])("%s is refused in text", async (_what, headers, code, reason) => {
    for (const path of [echoPath, watchPath]) {
      const answer = await call(version, { body: [textOf("a")], path, headers });
      expect(answer.headers["content-type"]).toBe(textType);
      expect(answer.frames).toHaveLength(1);
      expect(refusalOf(answer)).toEqual({ code, reason });
    }
    expect(server.calls).toEqual([]);
  });

  test.each([
    ["application/grpc-web-text", "application/grpc-web+proto", false],
    ["application/grpc-web-text", "*/*", true],
    ["application/grpc-web+proto", "application/grpc-web-text", true],
    ["application/grpc-web+proto", "*/*", false],
  ])("of the type %s that accepts %s is answered in text: %s", async (contentType, accept, isText) => {
    const bytes = frame(messageOf("a"));
    server.answers.set("watch", async function* () {
      yield { text: "a" };
    });
    const headers = { "content-type": contentType, accept };
    for (const path of [echoPath, watchPath, "/test.v1.KindsService/No"]) {
      const { sending, answered } = open(version, path, headers);
      sending.end(contentType.includes("text") ? base64(bytes) : bytes);
      const { headers: received, receiving } = await answered;
      const body = Buffer.concat(await receiving.toArray());
      const expected = isText ? textType : "application/grpc-web+proto";
      const frames = framesOf(isText ? decodeText(body.toString("latin1")) : body);
      expect([received["content-type"], frames.length]).toEqual([expected, path.endsWith("No") ? 0 : 2]);
    }
  });

  test("of a stream reads each answer as it comes, and the error that ends it", async () => {
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    server.answers.set("watch", async function* () {
      yield { text: "a" };
      await goOn;
      yield { text: "bc" };
      throw new Problem({ kind: "unavailable", reason: "OVERLOADED", message: "wait" });
    });
    const { sending, answered } = open(version, watchPath);
    sending.end(base64(frame(new Uint8Array(0))));
    const { headers, receiving } = await answered;
    const chunks: AsyncIterator<Buffer> = receiving[Symbol.asyncIterator]();
    const first = (await chunks.next()).value.toString("latin1");
    // The stream goes on only now: what has come is whole by itself.
    expect(framesOf(decodeText(first))).toEqual([{ flags: 0, data: messageOf("a") }]);
    resolve();
    let rest = "";
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
      rest += next.value.toString("latin1");
    const frames = framesOf(decodeText(rest));
    expect([headers["content-type"], frames.length, frames[0]]).toEqual([
      textType,
      2,
      { flags: 0, data: messageOf("bc") },
    ]);
    expect(refusalOf({ headers: {}, text: rest, frames })).toEqual({ code: 14, reason: "OVERLOADED" });
  });
});

test("a call in text is refused without waiting for a body that is announced too long, or never ends", async () => {
  const announced = open("HTTP/1.1", echoPath, { "content-length": String(4 * (maxMessageBytes + 5) + 4) });
  const endless = open("HTTP/1.1", echoPath);
  endless.sending.write("AA==".repeat(maxMessageBytes + 6));
  for (const { answered, cancel } of [announced, endless]) {
    const { receiving } = await answered;
    const [chunk] = (await once(receiving, "data")) as [Buffer];
    cancel();
    expect(decodeText(chunk.toString("latin1")).toString()).toContain("grpc-status: 8");
  }
});

test("a method that streams both ways is answered while its text still comes", async () => {
  const { sending, answered } = open("HTTP/2", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
  // list_services: "", in pieces that end in the middle of a group.
  const asked = base64(frame(Uint8Array.of(0x3a, 0)));
  sending.write(asked.slice(0, 3));
  sending.write(asked.slice(3));
  const { receiving } = await answered;
  const [chunk] = (await once(receiving, "data")) as [Buffer];
  expect(framesOf(decodeText(chunk.toString("latin1")))[0]!.data.toString()).toContain(
    "test.v1.KindsService",
  );
  sending.end("A");
  const rest = await receiving.toArray();
  expect(decodeText(Buffer.concat(rest).toString("latin1")).toString()).toContain("grpc-status: 3");
});

test("calls in text have a lane of their own in metrics and log", async () => {
  await call("HTTP/1.1", { body: [textOf("a")] });
  await call("HTTP/2", { body: [textOf("a")], path: watchPath, headers: { authorization: "Bearer bad" } });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const [rpc, code] of [
    ["Echo", 0],
    ["Watch", 16],
  ] as const) {
    const method = `test.v1.KindsService/${rpc}`;
    expect(metrics).toContain(`{method="${method}",lane="grpc-web-text",code="${code}"} `);
    expect(server.logLines).toContainEqual(expect.objectContaining({ lane: "grpc-web-text", method, code }));
  }
});
