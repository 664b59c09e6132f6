import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { type World } from "../support/world.ts";
import type { HostileRequest } from "./support/exchange.ts";
import { createHttp2Client } from "./support/http2.ts";
import { judge } from "./support/judge.ts";
import { type Lab, startLabWithWorld } from "./support/lab.ts";
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
  const before = residentMb();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMb());
  }, 20);
  const clients = Array.from({ length: sessions }, () => createHttp2Client(lab));
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_each, index) =>
      (clients[index % sessions] ?? createHttp2Client(lab)).send(request),
    ),
  );
  clearInterval(timer);
  for (const client of clients) client.close();
  process.stdout.write(
    `200 bombs in ${type}: resident ${before.toFixed(0)} MB, at most ${most.toFixed(0)} MB\n`,
  );
  const reasons = new Set(answers.map((answer) => judge(request, answer).reason));
  expect([...reasons].filter((reason) => reason !== "MESSAGE_TOO_LARGE" && reason !== "OVERLOADED")).toEqual(
    [],
  );
  expect(most - before).toBeLessThan(500);
  expect(lab.faults()).toEqual([]);
});
