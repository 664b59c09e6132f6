import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { afterEach, describe, expect, test } from "@jest/globals";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from "node:http2";
import { once } from "node:events";
import {
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { frame } from "../../kernel/http/support/http.ts";
import { readStatus } from "./support/rpc.ts";
import { startTestServer, type TestServer } from "./support/server.ts";
import { eventually } from "../../kernel/http/support/sockets.ts";
import { largeTest } from "../../support/large.ts";

// What takes no token, and what it may cost: health and reflection.

let server: TestServer;
let session: ClientHttp2Session;
afterEach(async () => {
  session.destroy();
  await server.stop();
});

async function serve(overrides: Parameters<typeof startTestServer>[0] = {}): Promise<void> {
  server = await startTestServer(overrides);
  session = connect(server.url);
  await once(session, "connect");
}

function open(path: string): ClientHttp2Stream {
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.on("error", () => {});
  return stream;
}

/** Resolves with the code and reason that the stream ended with, which are behind its answers, or all there is. */
function reasonOf(stream: ClientHttp2Stream): Promise<string> {
  return new Promise((resolve) => {
    const read = (headers: IncomingHttpHeaders): void => {
      const details = headers["grpc-status-details-bin"];
      if (typeof details !== "string") return;
      const status = readStatus(Buffer.from(details, "base64"));
      resolve(`${status.code} ${(status.details[0] as { reason: string }).reason}`);
    };
    stream.on("response", read).on("trailers", read).resume();
  });
}

describe("Health.Watch", () => {
  const watch = (): ClientHttp2Stream => {
    const stream = open("/grpc.health.v1.Health/Watch");
    stream.end(Buffer.alloc(5));
    return stream;
  };

  largeTest("reads the state once for all who watch, and tells all of them", async () => {
    let reads = 0;
    let isReady = true;
    await serve({
      ready: async () => {
        reads++;
        return isReady;
      },
    });
    const watches = Array.from({ length: 50 }, watch);
    const seen = watches.map(() => 0);
    for (const [index, stream] of watches.entries())
      stream.on("data", () => (seen[index] = (seen[index] ?? 0) + 1));
    await eventually(() => seen.every((count) => count === 1));
    expect(reads).toBeLessThanOrEqual(2);
    isReady = false;
    await eventually(() => seen.every((count) => count === 2));
    expect(reads).toBeLessThanOrEqual(5);
  });

  largeTest("is open 1,000 times at the most, and again when one has gone", async () => {
    await serve({ limits: { maxStreams: 2000 } });
    const watches = Array.from({ length: 1000 }, watch);
    await Promise.all(watches.map((stream) => once(stream, "data")));
    expect(await reasonOf(watch())).toBe("8 TOO_MANY_STREAMS");
    watches[0]?.close(8);
    await eventually(async () => {
      const stream = watch();
      const first = await Promise.race([once(stream, "data").then(() => "served"), reasonOf(stream)]);
      return first === "served";
    });
    expect(await reasonOf(watch())).toBe("8 TOO_MANY_STREAMS");
  });
});

describe("reflection", () => {
  const ask = (symbol: string): Buffer =>
    frame(
      toBinary(
        ServerReflectionRequestSchema,
        create(ServerReflectionRequestSchema, {
          messageRequest: { case: "fileContainingSymbol", value: symbol },
        }),
      ),
    );

  /** Asks one after the other on one stream, and returns the names of the files in each answer, and how it ended. */
  async function converse(symbols: readonly string[]) {
    const stream = open("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
    const parts: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => parts.push(chunk));
    const ended = Promise.race([reasonOf(stream), once(stream, "close").then(() => "")]);
    stream.end(Buffer.concat(symbols.map(ask)));
    await once(stream, "end");
    const bytes = Buffer.concat(parts);
    const answers: string[][] = [];
    for (let at = 0; at < bytes.length; ) {
      const length = bytes.readUInt32BE(at + 1);
      const answer = fromBinary(ServerReflectionResponseSchema, bytes.subarray(at + 5, at + 5 + length));
      at += 5 + length;
      const { case: kind, value } = answer.messageResponse;
      const files = kind === "fileDescriptorResponse" ? value.fileDescriptorProto : [];
      answers.push(files.map((file) => fromBinary(FileDescriptorProtoSchema, file).name));
    }
    return { answers, bytes: bytes.length, ended: await ended };
  }

  const project = "gatehouse.v1.ProjectService";

  test("answers a file with all that it imports, and on the same stream no import twice", async () => {
    await serve();
    const { answers } = await converse([
      project,
      project,
      "gatehouse.v1.Project",
      "gatehouse.v1.UserService",
    ]);
    const [first = [], again = [], imported = [], other = []] = answers;
    expect(first).toEqual(expect.arrayContaining(["gatehouse/v1/project.proto", "google/api/http.proto"]));
    expect(again).toEqual(["gatehouse/v1/project_service.proto"]);
    expect(imported).toEqual(["gatehouse/v1/project.proto"]);
    expect(other.filter((name) => first.includes(name))).toEqual([]);
    expect((await converse([project])).answers).toEqual([first]);
  });

  largeTest("takes 1,000 requests on a stream, whose answers are no multiple of all files", async () => {
    await serve();
    const single = await converse([project]);
    const { answers, bytes, ended } = await converse(Array.from({ length: 1001 }, () => project));
    expect([answers.length, ended]).toEqual([1000, "8 TOO_MANY_STREAMS"]);
    expect(bytes).toBeLessThan(300 * single.bytes);
  });
});
