import { afterEach, expect, test } from "@jest/globals";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newMasterKeyText } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { createCaller } from "../../faults/support/calls.ts";
import { type GatehouseProcess, runGatehouse, untilReady } from "../../support/process.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { gatehouse, type Single, startSingle } from "../support/pair.ts";
import { query } from "../support/sql.ts";

const cleanups: (() => Promise<void> | void)[] = [];
const started: GatehouseProcess[] = [];
afterEach(async () => {
  for (const { child } of started) child.kill("SIGKILL");
  await Promise.all(started.splice(0).map(({ exited }) => exited));
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function startEmpty(): Promise<Single> {
  const single = await startSingle({ max_connections: 400 });
  cleanups.push(single.remove);
  return single;
}

/** Starts `gatehouse serve` on the database, with a data folder of its own. */
function serve({ server }: Single, folder: string, { index, keyFile }: { index: number; keyFile: string }) {
  const data = join(folder, `data-${index}`);
  const database = ["--database", server.url(gatehouse, gatehouse), "--master-key-file", keyFile];
  const running = runGatehouse(["serve", "--listen", "127.0.0.1:0", "--data", data, ...database]);
  started.push(running);
  return { running, tokenFile: join(data, "admin.token") };
}

function makeKeyFile(folder: string, name: string): string {
  const file = join(folder, name);
  writeFileSync(file, newMasterKeyText(systemRandom), { mode: 0o600 });
  return file;
}

function makeFolder(): string {
  const folder = makeTemporaryFolder();
  cleanups.push(folder.remove);
  return folder.path;
}

/** Each instance begins with an organization. */
async function instancesOf({ server }: Single): Promise<number> {
  const added = "SELECT sequence FROM events WHERE type = 'organization.added'";
  return (await query(server.url(gatehouse), added)).length;
}

test("twenty processes that start at once on an empty database migrate it once, make one instance, and all serve it", async () => {
  const single = await startEmpty();
  const folder = makeFolder();
  const keyFile = makeKeyFile(folder, "master.key");
  const processes = Array.from({ length: 20 }, (_each, index) => serve(single, folder, { index, keyFile }));
  const serving = await Promise.all(processes.map(async ({ running }) => await untilReady(running)));
  const tokens = processes.filter(({ tokenFile }) => existsSync(tokenFile));
  expect(tokens.length).toBe(1);
  const token = readFileSync(tokens[0]?.tokenFile ?? "", "utf8").trim();
  for (const { url } of serving) {
    const caller = createCaller(url, token, "1.1");
    const ending = await caller.call("OrganizationService/ListOrganizations", {});
    caller.close();
    expect(ending).toMatchObject({ kind: "answer" });
  }
  expect(await instancesOf(single)).toBe(1);
}, 180_000);

test("of processes that start at once with different master keys one serves, and the others end and say why", async () => {
  const single = await startEmpty();
  const folder = makeFolder();
  const processes = Array.from({ length: 5 }, (_each, index) =>
    serve(single, folder, { index, keyFile: makeKeyFile(folder, `master-${index}.key`) }),
  );
  const outcomes = await Promise.all(
    processes.map(
      async ({ running }) =>
        await untilReady(running).then(
          () => "serves",
          ({ message }: Error) => message,
        ),
    ),
  );
  const refused = outcomes.filter((outcome) => outcome !== "serves");
  expect(refused.length).toBe(4);
  for (const outcome of refused) expect(outcome).toMatch(/^gatehouse ended with 1: .*key/);
  expect(await instancesOf(single)).toBe(1);
}, 120_000);
