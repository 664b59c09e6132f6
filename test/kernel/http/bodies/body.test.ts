import { expect, test } from "@jest/globals";
import { create, toBinary } from "@bufbuild/protobuf";
import { Readable } from "node:stream";
import type { IncomingMessage } from "node:http";
import { createBodyReader } from "../../../../src/kernel/http/bodies/body.ts";
import { createByteSink } from "../../../../src/kernel/http/bodies/byte-sink.ts";
import { Health, HealthCheckRequestSchema } from "../../../../gen/grpc/health/v1/health_pb.ts";
import type { Exchange } from "../../../../src/kernel/http/exchanges/exchange.ts";
import { readFramedBody } from "../../../../src/sites/rpc/lanes/framed-body.ts";
import { encodeFrame, readFrames, splitFrames } from "../../../../src/sites/rpc/lanes/frames.ts";
import type { Method } from "../../../../src/sites/rpc/calls/method.ts";
import { largeTest } from "../../../support/large.ts";

const encodeHealthCheck = (service: string) =>
  toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service }));
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test("a sink gives out what it took, in order, and never writes to a chunk", () => {
  const sink = createByteSink();
  const first = Buffer.from("abcdef");
  sink.append(first);
  expect(textOf(sink.take(2))).toBe("ab");
  sink.append(Buffer.from("gh"));
  expect([textOf(sink.bytes()), sink.length]).toEqual(["cdefgh", 6]);
  expect(textOf(sink.take(6))).toBe("cdefgh");
  expect(sink.length).toBe(0);
  sink.append(Buffer.from("i"));
  expect(textOf(sink.bytes())).toBe("i");
  expect(first.toString()).toBe("abcdef");
});

test("frames come out whole, however they were cut", async () => {
  const bytes = Buffer.concat(["a", "", "bcd"].map((text) => encodeFrame(0, Buffer.from(text))));
  for (const size of [1, 4, 7, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    const texts: string[] = [];
    const request = Readable.from(chunks) as unknown as IncomingMessage;
    for await (const { data } of readFrames(request, { maxBytes: 10, timeoutMs: 1000 }))
      texts.push(textOf(data));
    expect(texts).toEqual(["a", "", "bcd"]);
  }
});

test.each(["client_streaming", "bidi_streaming"] as const)(
  "the limits of a call that is %s are those of each message",
  async (methodKind) => {
    const limits = { maxMessageBytes: 12, bodyTimeoutMs: 1000, maxBufferedBytes: 1000 };
    const read = async (messages: readonly string[]) => {
      const sent = messages.map((text) => encodeFrame(0, encodeHealthCheck(text)));
      const call = {
        protocol: "grpc",
        codec: "proto",
        isText: false,
        contentType: "application/grpc",
        exchange: { header: () => undefined, body: Readable.from(sent) } as unknown as Exchange,
        method: { descriptor: { ...Health.method.check, methodKind } } as unknown as Method,
        maxBytes: limits.maxMessageBytes,
      } as const;
      let count = 0;
      for await (const frame of readFramedBody(createBodyReader(limits), call))
        count += frame.length > 0 ? 1 : 0;
      return count;
    };
    const largest = "x".repeat(10);
    expect(await read(Array.from({ length: 100 }, () => largest))).toBe(100);
    await expect(read([largest, `${largest}x`])).rejects.toMatchObject({ reason: "MESSAGE_TOO_LARGE" });
  },
);

largeTest("100,000 frames that came at once cost no more than their length", async () => {
  const bytes = Buffer.concat(Array.from({ length: 100_000 }, () => encodeFrame(0, Buffer.alloc(15))));
  const startedMs = performance.now();
  let count = 0;
  const chunks = [bytes.subarray(0, 1), bytes.subarray(1)];
  const request = Readable.from(chunks) as unknown as IncomingMessage;
  for await (const { data } of readFrames(request, { maxBytes: 100, timeoutMs: 1000 })) count += data.length;
  expect(count).toBe(1_500_000);
  expect(performance.now() - startedMs).toBeLessThan(20_000); // quadratic: minutes
});

test("a frame is handed out before the next one is looked at", () => {
  const body = Uint8Array.of(0, 0, 0, 0, 1, 0x61, 0, 0, 0, 0, 9); // the second frame lacks its data
  const frames = splitFrames(body, 100);
  expect(frames.next().value).toEqual({ flags: 0, data: Uint8Array.of(0x61) });
  expect(() => frames.next()).toThrow(expect.objectContaining({ reason: "INVALID_REQUEST" }));
});
