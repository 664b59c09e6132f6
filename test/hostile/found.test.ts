import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { type World } from "../support/world.ts";
import type { HostileAnswer, HostileRequest } from "./support/exchange.ts";
import { createHttp1Client } from "./support/http1.ts";
import { createHttp2Client } from "./support/http2.ts";
import { judge } from "./support/judge.ts";
import { type Lab, startLabWithWorld } from "./support/lab.ts";
import { frame } from "./support/mutate-frame.ts";

// What the random requests have found, each once more for itself.
const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const health = "/grpc.health.v1.Health/Check";

let lab: Lab;
let world: World;
beforeAll(async () => {
  ({ lab, world } = await startLabWithWorld());
});
afterAll(() => lab.discard());

async function send(
  version: 1 | 2,
  request: Partial<HostileRequest>,
): Promise<HostileAnswer & { readonly verdict: ReturnType<typeof judge> }> {
  const whole: HostileRequest = {
    what: "",
    type: "application/json",
    version,
    verb: "POST",
    path: health,
    headers: [],
    body: Buffer.alloc(0),
    ...request,
  };
  const client = version === 1 ? createHttp1Client(lab) : createHttp2Client(lab);
  const answer = await client.send(whole);
  client.close();
  return { ...answer, verdict: judge(whole, answer) };
}

test.each([1, 2] as const)("an unknown expectation means nothing on HTTP version %d", async (version) => {
  const headers = [
    ["expect", "a miracle"],
    ["content-type", "application/json"],
  ] as const;
  const { status, verdict } = await send(version, { headers });
  expect([status, verdict.complaints]).toEqual([200, []]);
});

test.each(["application/grpc; a=b", "application/grpc-web+proto;charset=utf-8"])(
  "%s is the content type without its parameters",
  async (type) => {
    const { verdict } = await send(2, { headers: [["content-type", type]], body: frame(Buffer.alloc(0)) });
    expect(verdict).toEqual({ code: 0, reason: "", complaints: [] });
  },
);

test.each(["application/grpc", "application/grpc-web", "application/connect+json"])(
  "a stream in both directions over HTTP/1.1 is refused in the shape of %s",
  async (type) => {
    const { verdict } = await send(1, { path: reflection, headers: [["content-type", type]] });
    expect(verdict).toEqual({ code: 3, reason: "CONTENT_TYPE_UNSUPPORTED", complaints: [] });
  },
);

test("a stream that is refused in the middle of a large message ends", async () => {
  const headers = [["content-type", "application/grpc"]] as const;
  const body = frame(Buffer.alloc(1_000_000)); // more than flow control lets through
  const { verdict } = await send(2, { path: reflection, headers, body });
  expect(verdict).toEqual({ code: 8, reason: "MESSAGE_TOO_LARGE", complaints: [] });
});

test("a session of HTTP/2 ends with its caller's half of the connection", async () => {
  const socket = connect(lab.port, lab.host).resume();
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  socket.end(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings]));
  await once(socket, "close", { signal: AbortSignal.timeout(8000) });
  expect(socket.destroyed).toBe(true);
});

describe("a caller who resets their stream", () => {
  test.each(["application/grpc", "application/grpc-web", "application/json"])(
    "in a call in %s is no fault of the service",
    async (type) => {
      const session = connectHttp2(lab.url);
      for (let count = 0; count < 50; count++) {
        const stream = session.request({
          ":method": "POST",
          ":path": "/gatehouse.v1.ProjectService/ListProjects",
          "content-type": type,
          authorization: `Bearer ${world.owner.token}`,
        });
        const closed = new Promise((resolve) => {
          stream
            .on("error", () => undefined)
            .on("close", resolve)
            .resume();
        });
        stream.end(type === "application/json" ? "{}" : frame(Buffer.alloc(0)));
        setTimeout(() => stream.close(8), count % 5);
        await closed;
      }
      session.destroy();
      await send(2, {}); // what was under way before is done
      expect(lab.faults()).toEqual([]);
    },
  );
});
