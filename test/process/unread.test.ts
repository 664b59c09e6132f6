import { expect, test } from "@jest/globals";
import {
  encodeFrame,
  encodeHeaders,
  flag,
  openRawSession,
  type RawSession,
  type,
} from "../kernel/http/support/http2-frames.ts";
import { eventually, openRaw } from "../kernel/http/support/sockets.ts";
import { usePlaces } from "./support/place.ts";

// A connection whose answers nobody has read is open after the write-timeout when nothing of them waits in the process. That
// they are with the kernel is seen by killing the process: what the kernel has taken still arrives.

const createPlace = usePlaces();
const readers = 10;
const calls = 20;

test("answers that nobody reads are with the kernel when their connection stays open", async () => {
  const place = createPlace();
  const serving = await place.serve(["--write-timeout-ms", "200", "--max-streams", "200"]);
  const port = Number(new URL(serving.url).port);
  const authorization = `Bearer ${place.adminToken()}`;
  const count = async (name: string) => {
    const metrics = await (await fetch(`${serving.url}/metrics`)).text();
    return [...metrics.matchAll(new RegExp(`^${name}(?:{.*})? (\\d+)$`, "gm"))]
      .map(([, value]) => Number(value))
      .reduce((sum, value) => sum + value, 0);
  };
  const http1 = await Promise.all(Array.from({ length: readers }, () => openRaw(port)));
  const http2 = await Promise.all(Array.from({ length: readers }, () => openRawSession(port)));
  for (const { socket } of http1) {
    const request = `GET /v1/projects HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`;
    socket.pause().write(request.repeat(calls));
  }
  for (const { socket } of http2) socket.pause();
  await Promise.all(http2.map((session) => session.write(...http2Calls(authorization))));
  await eventually(async () => (await count("gatehouse_call_duration_seconds_count")) >= 2 * readers * calls);
  // None of them waits for its reader: a stream ends, and an answer of HTTP/1.1 is over, when the kernel has taken it.
  await eventually(async () => (await count("gatehouse_streams")) === 0);
  expect(await count("gatehouse_connections")).toBeGreaterThanOrEqual(2 * readers);
  await serving.kill();
  for (const { socket } of [...http1, ...http2]) socket.resume();
  for (const text of await Promise.all(http1.map(({ closed }) => closed)))
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(calls);
  expect(await Promise.all(http2.map(endedStreams))).toEqual(Array.from({ length: readers }, () => calls));
});

function http2Calls(authorization: string): readonly Uint8Array[] {
  const head = {
    ":method": "GET",
    ":scheme": "http",
    ":authority": "a",
    ":path": "/v1/projects",
    authorization,
  };
  const block = encodeHeaders(head);
  const ids = Array.from({ length: calls }, (_, index) => 2 * index + 1);
  const requests = ids.map((id) => encodeFrame(type.headers, flag.endHeaders | flag.endStream, id, block));
  return [encodeFrame(type.settings, flag.ack, 0), ...requests];
}

/** Returns how many answers came whole until the connection closed. */
async function endedStreams({ closed, frames }: RawSession): Promise<number> {
  await closed;
  return frames.filter((frame) => frame.streamId > 0 && (frame.flags & flag.endStream) !== 0).length;
}
