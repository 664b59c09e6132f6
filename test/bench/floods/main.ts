/**
 * Measures what others wait while somebody floods: `node test/bench/floods/main.ts [--against <folder>] [--connections <n>]
 * [--seconds <n>] [flood …]`. With `--against` a checkout of another commit, with its packages installed, is flooded in turn
 * with this one. Three callers, of gRPC on HTTP/2 and of JSON on HTTP/1.1, make a call every 5 ms.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type ServingProcess, serveGatehouse } from "../../support/process.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { createFloods } from "./floods.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: "string" },
    connections: { type: "string", default: "12" },
    seconds: { type: "string", default: "4" },
  },
});
const seconds = Number(values.seconds);

interface Flooded {
  readonly name: string;
  readonly serving: ServingProcess;
  readonly authorization: string;
}

const folder = makeTemporaryFolder();
const services = [await start("this", undefined)];
if (values.against !== undefined) services.unshift(await start("against", values.against));
try {
  for (const each of services) await callers(each, 1500);
  console.log(
    "| flood | service | calls | failed | p50 ms | p99 ms | longest ms | CPU % | how connections ended |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  const names = positionals.length > 0 ? positionals : Object.keys(createFloods(""));
  for (const name of names) for (const each of services) await measure(name, each);
} finally {
  for (const { serving } of services) await serving.stop();
  folder.remove();
}

async function start(name: string, checkout: string | undefined): Promise<Flooded> {
  const data = join(folder.path, name);
  const launch = checkout === undefined ? {} : { program: join(checkout, "src/main.ts") };
  const serving = await serveGatehouse(["--data", data], {}, launch);
  const authorization = `Bearer ${readFileSync(join(data, "admin.token"), "utf8").trim()}`;
  return { name, serving, authorization };
}

async function measure(flood: string, flooded: Flooded): Promise<void> {
  const { serving, authorization, name } = flooded;
  const { port } = new URL(serving.url);
  const before = { ms: performance.now(), cpuMs: cpuMsOf(serving.child.pid) };
  const flooder = spawn(
    process.execPath,
    [join(import.meta.dirname, "flooder.ts"), port, flood, values.connections, values.seconds, authorization],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let ends = "";
  flooder.stdout.on("data", (bytes: Buffer) => (ends += bytes.toString()));
  const ended = once(flooder, "close");
  await pause(300);
  const { waits, failed } = await callers(flooded, 1000 * seconds - 300);
  const cpu = (100 * (cpuMsOf(serving.child.pid) - before.cpuMs)) / (performance.now() - before.ms);
  await ended;
  const at = (share: number) =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]?.toFixed(1);
  console.log(
    `| ${flood} | ${name} | ${waits.length} | ${failed} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${cpu.toFixed(0)} | ${ends} |`,
  );
  await pause(1000);
}

/** Calls for so long, and returns how long each call took, the shortest first. */
async function callers({ serving, authorization }: Flooded, forMs: number) {
  const endMs = performance.now() + forMs;
  const waits: number[] = [];
  let failed = 0;
  const session = connect(serving.url).on("error", () => failed++);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const again = async (call: () => Promise<boolean>): Promise<void> => {
    while (performance.now() < endMs) {
      const startMs = performance.now();
      if (!(await call())) failed++;
      const tookMs = performance.now() - startMs;
      waits.push(tookMs);
      await pause(Math.max(0, 5 - tookMs));
    }
  };
  const ofGrpc = () => again(() => callGrpc(session, authorization));
  await Promise.all([
    ofGrpc(),
    ofGrpc(),
    again(() => callJson(`${serving.url}/v1/projects`, agent, authorization)),
  ]);
  session.destroy();
  agent.destroy();
  return { waits: waits.toSorted((left, right) => left - right), failed };
}

function callGrpc(session: ClientHttp2Session, authorization: string): Promise<boolean> {
  return new Promise((resolve) => {
    let status: unknown;
    session
      .request({
        ":method": "POST",
        ":path": "/gatehouse.v1.ProjectService/ListProjects",
        "content-type": "application/grpc",
        te: "trailers",
        authorization,
      })
      .on("trailers", (trailers) => (status = trailers["grpc-status"]))
      .on("error", () => {})
      .on("close", () => resolve(status === "0"))
      .resume()
      .end(Buffer.alloc(5));
  });
}

function callJson(url: string, agent: Agent, authorization: string): Promise<boolean> {
  return new Promise((resolve) => {
    request(url, { agent, headers: { authorization } }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode === 200));
    })
      .once("error", () => resolve(false))
      .end();
  });
}

/** Returns user and system time (proc(5), fields 14 and 15, in ticks of 10 ms). NaN where there is no /proc. */
function cpuMsOf(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}
