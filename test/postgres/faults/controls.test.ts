import { afterAll, afterEach, expect, test } from "@jest/globals";
import { createCrippledBuilds, type Crippling } from "../../faults/support/crippled.ts";
import { useSeed } from "../../faults/support/seed.ts";
import type { Launch } from "../../support/process.ts";
import { gatehouse, type Single, startSingle } from "../support/pair.ts";
import { type Proxy, startProxy } from "../support/proxy.ts";
import { createTirelessWriters } from "./support/ground.ts";
import { type Complaints, judgeDatabase, judgeWrites } from "./support/judge.ts";
import { createRoamingCaller, type RoamingCaller } from "./support/roaming-caller.ts";
import { type Services, startServices } from "./support/services.ts";

// The judge of these tests has a complaint about builds in which one thing was taken out.

const randomOf = useSeed();
const builds = createCrippledBuilds();
const writerCount = 12;
const maxRounds = 10;

let single: Single | undefined;
let proxies: readonly Proxy[] = [];
let services: Services | undefined;
let callers: readonly RoamingCaller[] = [];
afterEach(async () => {
  for (const caller of callers) caller.close();
  await services?.remove();
  for (const proxy of proxies) await proxy.close();
  await single?.remove();
});
afterAll(() => builds.discard());

/** What goes wrong in each round while writers write to both processes. */
type Fault = (server: Single["server"], proxies: readonly Proxy[]) => Promise<void>;

const crash: Fault = async (server) => {
  await server.stop("immediate");
  await server.start();
};
const loseAnswers: Fault = async (_server, both) => {
  await Promise.race(both.map(async (proxy) => await proxy.swallowCommit()));
};
const none: Fault = async () => {};

/** Goes rounds until one has such a complaint. Returns all of that round. */
async function untilCaught(launch: Launch, fault: Fault, pattern: RegExp): Promise<Complaints> {
  // A commit takes its time, so that a build that does not wait for it is far ahead.
  single = await startSingle({ track_commit_timestamp: "on", commit_delay: 20_000, commit_siblings: 0 });
  const { server } = single;
  proxies = [await startProxy(server.port), await startProxy(server.port)];
  const databases = proxies.map(({ port }) => `postgres://${gatehouse}@127.0.0.1:${port}/${gatehouse}`);
  const { addresses, token } = (services = await startServices({ databases, launch }));
  callers = Array.from({ length: writerCount }, (_each, index) =>
    createRoamingCaller(addresses, token, randomOf(index)),
  );
  const callerAt = (index: number) => callers[index] as RoamingCaller; // there is one for each writer
  const writers = await createTirelessWriters(callerAt(0), randomOf(100), writerCount);
  let complaints: Complaints = [];
  for (let round = 0; round < maxRounds && !complaints.some((line) => pattern.test(line)); round += 1) {
    const running = writers.start(callerAt);
    await running.reach(40);
    await fault(server, proxies);
    await running.reach(10);
    running.end();
    await running.ended;
    const url = server.url(gatehouse);
    complaints = [...(await judgeWrites(url, callerAt(0), writers)), ...(await judgeDatabase(url))];
  }
  return complaints;
}

const earlyAnswers: Crippling = {
  name: "answers before the commit",
  file: "src/kernel/storage/postgres/section-commits.ts",
  changes: [
    [
      "const end = await sections.commit(connection);",
      'const committing = sections.commit(connection);\n      const end = { kind: "committed" } as Awaited<typeof committing>;\n      committing.catch(() => {});',
    ],
  ],
};

const forgottenOutcomes: Crippling = {
  name: "takes a commit without an answer for one that has not happened",
  file: "src/kernel/storage/postgres/section-commits.ts",
  changes: [
    ["const happened = await writer.wasCommitted(batch);", "const happened: boolean | undefined = false;"],
  ],
};

const noLock: Crippling = {
  name: "sections that do not lock",
  file: "src/kernel/storage/postgres/section-connection.ts",
  changes: [["FROM log_position WHERE is_only = 1 FOR UPDATE`", "FROM log_position WHERE is_only = 1`"]],
};

test.each([
  ["that answers before it commits", earlyAnswers, crash, /^lost: /],
  [
    "that forgets a commit whose answer is lost",
    forgottenOutcomes,
    loseAnswers,
    /^(?:refused, but there|lost): |"code":6,/,
  ],
  ["whose sections do not lock", noLock, none, /^out of order: |"code":13,|given twice/],
] as const)(
  "catches a build %s",
  async (_title, crippling, fault, pattern) => {
    const complaints = await untilCaught(builds.build(crippling), fault, pattern);
    expect(complaints).toContainEqual(expect.stringMatching(pattern));
  },
  240_000,
);
