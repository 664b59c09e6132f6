import { expect, test } from "@jest/globals";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { connect as connectHttp2, constants } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { openConnection } from "../process/support/connection.ts";
import { dump } from "../process/support/tables.ts";
import { type Launch, parseLog, type ServingProcess } from "../support/process.ts";
import type { Random } from "../hostile/support/random.ts";
import { leakedCalls } from "./support/crippled.ts";
import { endInOrder, type Site, useSites } from "./support/ground.ts";
import { type Complaints, judgeFiles, judgeThroughService } from "./support/judge.ts";
import { useSeed } from "./support/seed.ts";
import { createWriters } from "./support/writers.ts";

const sites = useSites();
const randomOf = useSeed();
const path = "/gatehouse.v1.ProjectService/AddProject";

/** One that goes away. */
interface Leaver {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Waits for some part of the time that a call takes. */
  readonly hesitate: () => Promise<void>;
}

/** Ways to go away, each with the whole call sent and in the middle of its body. */
const ways = [leaveHttp1, resetStream, leaveHttp2];

async function leaveHttp1({ url, headers, body, hesitate }: Leaver, sent: string): Promise<void> {
  const connection = await openConnection(url);
  const lines = Object.entries({ host: "localhost", ...headers, "content-length": String(body.length) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  connection.send(`POST ${path} HTTP/1.1\r\n${head}\r\n${sent}`);
  await hesitate();
  connection.socket.destroy();
  await connection.closed;
}

async function resetStream({ url, headers, body, hesitate }: Leaver, sent: string): Promise<void> {
  const session = connectHttp2(url).on("error", () => {});
  const stream = session.request({ ":method": "POST", ":path": path, ...headers }).on("error", () => {});
  stream.resume();
  if (sent === body) stream.end(sent);
  else stream.write(sent);
  await hesitate();
  stream.close(constants.NGHTTP2_CANCEL);
  if (!stream.closed) await once(stream, "close");
  session.close();
}

async function leaveHttp2({ url, headers, body, hesitate }: Leaver, sent: string): Promise<void> {
  const session = connectHttp2(url).on("error", () => {});
  await once(session, "connect");
  const stream = session.request({ ":method": "POST", ":path": path, ...headers }).on("error", () => {});
  stream.resume();
  if (sent === body) stream.end(sent);
  else stream.write(sent);
  await hesitate();
  session.destroy();
}

/** Many callers go away in every way while others write. Returns the names of the projects
 * that they asked for with a whole call, and with half of one. */
async function leaveOften(site: Site, { url }: ServingProcess, random: Random) {
  const whole: string[] = [];
  const half: string[] = [];
  const headers = { authorization: `Bearer ${site.token}`, "content-type": "application/json" };
  const hesitate = () => pause(random.next() * 4);
  for (let round = 0; round < 20; round += 1)
    await Promise.all(
      ways.flatMap((leave, index) =>
        [true, false].map(async (isWhole) => {
          const name = `left ${round} ${index} ${isWhole}`;
          (isWhole ? whole : half).push(name);
          const body = JSON.stringify({ name });
          await leave({ url, headers, body, hesitate }, isWhole ? body : body.slice(0, -3));
        }),
      ),
    );
  return { whole, half };
}

/** What is open, by the service's own account and by that of the kernel. */
async function countOpen({ url, child }: ServingProcess): Promise<string> {
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: "close" } })).text();
  const gauges = text.match(/^gatehouse_(connections|streams|calls_in_flight) \d+$/gm) ?? [];
  const folder = `/proc/${child.pid}/fd`;
  const sockets = readdirSync(folder).filter((each) => linkOf(`${folder}/${each}`).startsWith("socket:"));
  return [...gauges, `sockets ${sockets.length}`].join(", ");
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return ""; // closed meanwhile
  }
}

/** Says what is left of callers that went away under load. */
async function disconnectUnderLoad(index: number, launch: Launch = {}): Promise<Complaints> {
  const site = await sites.create();
  const serving = await site.place.serve([], {}, launch);
  const before = await settledCount(serving, (count) => count.includes("connections 1,"));
  const writers = createWriters(site.ground, randomOf(index), { count: 8 });
  const callers = [site.connect(serving), site.connect(serving, "2")] as const;
  const running = writers.start((writer) => callers[writer % 2] ?? callers[0]);
  await running.reach(10);
  const { whole, half } = await leaveOften(site, serving, randomOf(index + 10));
  running.end();
  await running.ended;
  const complaints = [...(await judgeThroughService(callers[0], writers, "all"))];
  complaints.push(...writers.others.map(({ method, ending }) => `${method}: ${JSON.stringify(ending)}`));
  for (const caller of callers) caller.close();
  const after = await settledCount(serving, (count) => count === before);
  if (after !== before) complaints.push(`leak: ${after} instead of ${before}`);
  if (parseLog(serving.stderr()).some((line) => Number(line["level"]) >= 50))
    complaints.push("an error in the log");
  const code = await endInOrder(serving);
  if (code !== 0) complaints.push(`it ended with ${code}`);

  const rows = dump(site.place.file("gatehouse.db"), ["projects"])["projects"] ?? [];
  const names = new Set(rows.map((row) => row["name"]));
  complaints.push(
    ...half.filter((name) => names.has(name)).map((name) => `half a body had an effect: ${name}`),
  );
  const done = whole.filter((name) => names.has(name)).length;
  if (done === 0) complaints.push("nobody left after their call was taken");
  return [...complaints, ...(await judgeFiles(site.place.path, writers, { isRebuilt: true })).complaints];
}

/** Counts until it is so, or for some seconds. */
async function settledCount(serving: ServingProcess, isSo: (count: string) => boolean): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const count = await countOpen(serving);
    if (isSo(count) || tries === 60) return count;
    await pause(50);
  }
}

test("callers who go away in the middle leave nothing open, and their calls have their whole effect or none", async () => {
  expect(await disconnectUnderLoad(0)).toEqual([]);
});

test("control: the same catches a build that keeps the account of a call whose caller is gone", async () => {
  expect(await disconnectUnderLoad(1, sites.cripple(leakedCalls))).toContainEqual(
    expect.stringMatching(/^leak: /),
  );
});
