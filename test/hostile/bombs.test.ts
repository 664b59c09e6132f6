import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { create, toBinary } from "@bufbuild/protobuf";
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { VerifyU2fRequestSchema } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { type World } from "../support/world.ts";
import type { HostileRequest } from "./support/exchange.ts";
import { createHttp2Client } from "./support/http2.ts";
import { judge } from "./support/judge.ts";
import { type Lab, startLabWithWorld } from "./support/lab.ts";
import { delimited } from "./support/mutate-binary.ts";
import { frame } from "./support/mutate-frame.ts";

let lab: Lab;
let world: World;
beforeAll(async () => {
  ({ lab, world } = await startLabWithWorld());
});
afterAll(() => lab.discard());

const zeros = Buffer.alloc(64 * 2 ** 20);
const bodies = {
  gzip: gzipSync(zeros, { level: 1 }),
  br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
} as const;
const sessions = 4;

function residentMb(): number {
  const status = readFileSync(`/proc/${lab.process.child.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

// 256 MiB of bodies may be held at once; beyond that the service says so.
test.each([
  ["application/json", "content-encoding", "gzip"],
  ["application/grpc", "grpc-encoding", "br"],
] as const)("200 bombs at once in %s stay within the memory for bodies", async (type, header, encoding) => {
  const body = type === "application/grpc" ? frame(bodies[encoding], 1) : bodies[encoding];
  const request: HostileRequest = {
    what: "bomb",
    type,
    version: 2,
    verb: "POST",
    path: "/gatehouse.v1.ProjectService/AddProject",
    body,
    headers: [
      ["authorization", `Bearer ${world.stranger.token}`],
      ["content-type", type],
      [header, encoding],
    ],
  };
  const { reasons, complaints, grownMb } = await throwAll(`200 bombs in ${type}`, times(200, request));
  expect(complaints).toEqual([]);
  expect([...reasons].filter((reason) => reason !== "MESSAGE_TOO_LARGE" && reason !== "OVERLOADED")).toEqual(
    [],
  );
  expect(grownMb).toBeLessThan(500);
  expect(lab.faults()).toEqual([]);
});

function times(count: number, request: HostileRequest): readonly HostileRequest[] {
  return Array.from({ length: count }, () => request);
}

/** Sends the requests at the same time, and prints and returns what that takes. */
async function throwAll(what: string, requests: readonly HostileRequest[]) {
  const before = residentMb();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMb());
  }, 20);
  await lab.resetDelay();
  const clients = Array.from({ length: sessions }, () => createHttp2Client(lab));
  const verdicts = await Promise.all(
    requests.map(async (request, index) => {
      const client = clients[index % sessions] ?? createHttp2Client(lab);
      return judge(request, await client.send(request));
    }),
  );
  clearInterval(timer);
  for (const client of clients) client.close();
  const delayMaxMs = await lab.resetDelay();
  const grownMb = most - before;
  process.stdout.write(
    `${what}: resident ${before.toFixed(0)} MB and ${grownMb.toFixed(0)} MB more, the loop stood ${delayMaxMs.toFixed(0)} ms\n`,
  );
  return {
    reasons: new Set(verdicts.map(({ reason }) => reason)),
    complaints: verdicts.flatMap((verdict) => verdict.complaints),
    grownMb,
    delayMaxMs,
  };
}

// What a reader of other wire types than the decoder's would leave to it: 4,194,000 fields behind one that hides them.
const fields = Buffer.alloc(2 * 4_194_000, Uint8Array.of(0x78, 0x01));
const hidden = {
  "page_token as the start of a group": Buffer.concat([Buffer.from("130107", "hex"), fields]),
  "page_size as bytes": delimited(1, fields),
  "nothing but fields": fields,
} as const;

describe.each([
  ["application/proto", "content-encoding"],
  ["application/grpc", "grpc-encoding"],
  ["application/grpc-web", "grpc-encoding"],
] as const)("in %s", (type, header) => {
  test.each(Object.entries(hidden))(
    "six times 4,194,000 fields behind %s hold nobody",
    async (what, message) => {
      const packed = gzipSync(message, { level: 9 });
      expect(packed.length).toBeLessThan(9000);
      const request: HostileRequest = {
        what,
        type,
        version: 2,
        verb: "POST",
        path: "/gatehouse.v1.ProjectService/ListProjects",
        body: type === "application/proto" ? packed : frame(packed, 1),
        headers: [
          ["authorization", `Bearer ${world.stranger.token}`],
          ["content-type", type],
          [header, "gzip"],
        ],
      };
      const taken = await throwAll(`6 times ${what} in ${type}`, times(6, request));
      expect([...taken.reasons]).toEqual(["INVALID_REQUEST"]);
      expect(taken.grownMb).toBeLessThan(500);
      expect(taken.delayMaxMs).toBeLessThan(500);
      expect(lab.faults()).toEqual([]);
    },
  );
});

test.each(["application/json", "application/proto"] as const)(
  "six credentials of 500,000 values in %s hold nobody",
  async (type) => {
    const publicKeyCredential = { a: Array.from({ length: 500_000 }, () => 0) };
    const credential = { userId: world.userId, u2fId: world.u2fId, tokenName: "Key", publicKeyCredential };
    const json = Buffer.from(JSON.stringify(credential));
    const request: HostileRequest = {
      what: "a credential of many values",
      type,
      version: 2,
      verb: "POST",
      path: "/gatehouse.v1.UserService/VerifyU2f",
      body:
        type === "application/json"
          ? json
          : toBinary(VerifyU2fRequestSchema, create(VerifyU2fRequestSchema, credential)),
      headers: [
        ["authorization", `Bearer ${world.stranger.token}`],
        ["content-type", type],
      ],
    };
    const taken = await throwAll(`6 credentials in ${type}`, times(6, request));
    expect([...taken.reasons]).toEqual(["INVALID_REQUEST"]);
    expect(taken.delayMaxMs).toBeLessThan(500);
    expect(lab.faults()).toEqual([]);
  },
);
