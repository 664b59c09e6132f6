import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { newMasterKeyText } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { createAllKinds } from "../../process/support/all-kinds.ts";
import { liveGroups } from "../../process/support/group-life.ts";
import { liveLogins } from "../../process/support/login-life.ts";
import { liveMetadata } from "../../process/support/metadata-life.ts";
import { type ConnectedService, finish, usePlaces } from "../../process/support/place.ts";
import { dump } from "../../process/support/tables.ts";
import { runGatehouse, serveGatehouse } from "../../support/process.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { createCaller } from "../../support/world.ts";
import { type Site, useDatabaseSites } from "./support/site.ts";

const sites = useDatabaseSites();
const newPlace = usePlaces();
const temporary = makeTemporaryFolder();
afterAll(() => temporary.remove());

let folders = 0;
const newFolder = () => join(temporary.path, `folder-${++folders}`);
const lives = 3;
const kills = 10;

/** A copy of the site's database, or into it. */
const argumentsOf = ({ keyFile }: Pick<Site, "keyFile">, from: string, to: string) =>
  ["copy", "--from", from, "--to", to, "--master-key-file", keyFile, "--dev"] as const;
const run = (args: readonly string[]) => finish(runGatehouse(args));
const copy = (site: Pick<Site, "keyFile">, from: string, to: string) => run(argumentsOf(site, from, to));
const digestOf = ({ stdout }: { readonly stdout: string }) =>
  /equal in both places, digest (\w{32})/.exec(stdout)?.[1];

/** The rows of a folder that no copy changes. */
function rowsOf(folder: string) {
  const { settings = [], migrations: _migrations, ...tables } = dump(join(folder, "gatehouse.db"));
  return { ...tables, settings: settings.filter(({ name }) => name !== "copy" && name !== "sealing-key") };
}

const indexesOf = (site: Site) =>
  site.ask(
    `SELECT indexdef AS sql FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL SELECT conrelid::regclass || conname || pg_get_constraintdef(oid) FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace ORDER BY sql`,
  );

async function readAll({ call }: ConnectedService): Promise<readonly unknown[]> {
  const { events } = await call(EventService.method.listEvents, { pageSize: 1000 });
  const { users } = await call(UserService.method.listUsers, { pageSize: 100 });
  const { user } = await call(UserService.method.getMyUser, {});
  return [events, users, user];
}

describe("gatehouse copy", () => {
  /** A database with an installation, its copy in a folder, and the copy of that. */
  let origin: ReturnType<typeof newPlace>;
  let originSite: { readonly url: string; readonly keyFile: string };
  let answers: readonly unknown[];
  let first: string;
  let second: Site;
  let third: string;
  const told: { code: number | null; stdout: string; stderr: string }[] = [];

  beforeAll(async () => {
    origin = newPlace();
    const serving = await origin.serve();
    const service = origin.connect(serving);
    for (let life = 0; life < lives; life++) {
      const world = await createAllKinds(service);
      const groupId = await liveGroups(createCaller(service, world.organizationId), world);
      await liveMetadata(service, { ...world, groupId });
    }
    await liveLogins(service);
    answers = await readAll(service);
    expect(await serving.stop()).toBe(0);
    const name = await origin.look((raw) => raw.peek<{ name: string }>("SELECT current_database() AS name"));
    const url = new URL(process.env["GATEHOUSE_TEST_DATABASE"] ?? "");
    url.pathname = `/${name[0]?.name}`;
    originSite = { url: url.href, keyFile: origin.file("master.key") };
    first = newFolder();
    second = await sites.make();
    third = newFolder();
    told.push(await copy(originSite, originSite.url, first));
    told.push(await copy(second, first, second.url));
    told.push(await copy(second, second.url, third));
  });

  test("copies a database into a folder, that into a database, and that into a folder", async () => {
    for (const { code, stdout, stderr } of told) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(
        /^\d+ rows of \d+ tables copied in [\d.]+ s\n\d+ indexes and references made in [\d.]+ s\n\d+ rows .* compared in [\d.]+ s\n\S+ is ready, with its keys in \S+; \S+ is sealed, and can be removed when it is no longer needed\n$/,
      );
    }
    expect(new Set(told.map(digestOf)).size).toBe(1);
    expect(rowsOf(third)).toEqual(rowsOf(first));
    const keys = readFileSync(originSite.keyFile, "utf8");
    for (const file of [join(first, "master.key"), second.keyFile, join(third, "master.key")]) {
      expect(readFileSync(file, "utf8")).toBe(keys);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  test("makes every index and reference again, and names the key that encrypts where processes share a database", async () => {
    const fresh = await sites.make();
    await fresh.init();
    expect(await indexesOf(second)).toEqual(await indexesOf(fresh));
    const sealing = await second.ask("SELECT value FROM settings WHERE name = 'sealing-key'");
    expect(sealing).toEqual([{ value: readFileSync(second.keyFile, "utf8").split(" ")[0] }]);
    const { settings = [] } = dump(join(third, "gatehouse.db"), ["settings"]);
    expect(settings.map(({ name }) => name)).not.toContain("sealing-key");
    const { stdout } = await run(["doctor", "--data", third]);
    expect(stdout.split("\n").filter((line) => line.startsWith("FAILED"))).toEqual([]);
    expect(stdout).toMatch(/^ok {6}tables: \d+ equal to \d+ events$/m);
  });

  test("the copy answers what the origin answered, and the same copy again does nothing", async () => {
    const serving = await serveGatehouse(["--listen", "127.0.0.1:0", "--data", third]);
    const service = origin.connect(serving, origin.adminToken());
    expect(await readAll(service)).toEqual(answers);
    expect(await serving.stop()).toBe(0);
    expect((await copy(second, second.url, third)).stdout).toMatch(
      /^all of it was copied before; nothing is left to do\n/,
    );
  });

  test("sealed places are refused", async () => {
    const sealed = `gatehouse: ${first} was copied to ${second.url}?sslmode=disable and is sealed; serve that place, or open this one again with gatehouse copy --unseal --from\n`;
    for (const command of [["serve", "--listen", "127.0.0.1:0"], ["token", "create"], ["rebuild"]])
      expect(await run([...command, "--data", first])).toEqual({ code: 1, stdout: "", stderr: sealed });
    expect((await second.run(["token", "create"])).stderr).toContain(`was copied to ${third} and is sealed`);
    expect((await run(["doctor", "--data", first])).stdout).toContain(`warning copy: ${first} was copied to`);
  });

  test("an opened place goes on by itself, with ids larger than those before", async () => {
    const unseal = ["copy", "--unseal", "--master-key-file", second.keyFile, "--dev", "--from", second.url];
    expect(await run(unseal)).toMatchObject({ code: 0, stderr: "" });
    expect(await run(unseal)).toMatchObject({ code: 1, stderr: expect.stringContaining("is not sealed\n") });
    expect((await copy(second, second.url, third)).stderr).toContain(
      `there is already an installation in ${third}`,
    );
    writeFileSync(second.tokenFile, origin.adminToken());
    const again = await second.serve();
    const id = await second.addProject(again, "Later");
    const { events = [] } = dump(join(third, "gatehouse.db"), ["events"]);
    const ids = events.map((event) => String(event["aggregate_id"])).filter((each) => /^\d+$/.test(each));
    expect(ids.length).toBeGreaterThan(100);
    expect(ids.every((each) => BigInt(each) < BigInt(id))).toBe(true);
    expect(await again.stop()).toBe(0);
  });

  test("refuses places in use, and writes no key file for them", async () => {
    const [folder, site] = [newFolder(), await sites.make()];
    const serving = await serveGatehouse(["--listen", "127.0.0.1:0", "--data", folder]);
    const busy = {
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/another process is using|other processes/),
    };
    expect(await copy(site, folder, site.url)).toEqual(busy);
    await serving.stop();
    await site.init();
    const shared = await site.serve();
    expect(await copy(site, site.url, newFolder())).toEqual(busy);
    const other = { keyFile: site.file("other.key") };
    expect(await copy(other, folder, site.url)).toEqual(busy);
    expect(existsSync(other.keyFile)).toBe(false);
    await shared.stop();
    expect((await copy(other, folder, site.url)).stderr).toContain("there is already an installation in");
    expect(existsSync(other.keyFile)).toBe(false);
    const empty = await sites.make();
    writeFileSync(empty.keyFile, newMasterKeyText(systemRandom), { mode: 0o600 });
    expect((await copy(empty, folder, empty.url)).stderr).toContain(
      `${empty.keyFile} has other keys than the place that is copied`,
    );
    const stillServed = await serveGatehouse(["--listen", "127.0.0.1:0", "--data", folder]); // nothing was sealed
    expect(await stillServed.stop()).toBe(0);
  });

  test.each([
    [[], /copy needs --from: a folder, or the URL of a database/],
    [["--from", "a"], /copy needs --to/],
    [["--from", "a", "--to", "b"], /must be the URL of a database; copy a folder to a folder with cp/],
    [["--from", "a", "--to", "postgres://u:p@h/d"], /--to must not contain the password/],
    [["--from", "", "--to", "postgres://h/d"], /--from must not be empty/],
    [["--from", "a", "--to", "postgres://h/d"], /--database needs --master-key-file/],
    [["--from", "a", "--to", "postgres://h/d", "--unseal"], /--unseal takes --from only/],
  ])("refuses %j as wrong use", async (args, message) => {
    expect(await run(["copy", ...args])).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });

  test("refuses a folder without an installation, and makes nothing", async () => {
    const [folder, site] = [newFolder(), await sites.make()];
    expect((await copy(site, folder, site.url)).stderr).toBe(
      `gatehouse: there is no ${join(folder, "gatehouse.db")}\n`,
    );
    mkdirSync(folder);
    new Sqlite(join(folder, "gatehouse.db")).close();
    expect((await copy(site, folder, site.url)).code).toBe(1);
    expect(existsSync(site.keyFile)).toBe(false);
  });

  test("goes on after SIGKILL at ten moments in each direction", async () => {
    const [site, back] = [await sites.make(), newFolder()];
    await run(["copy", "--unseal", "--from", first]);
    const directions = [
      [first, site.url],
      [site.url, back],
    ] as const;
    let killed = 0;
    for (const [from, to] of directions) {
      for (let kill = 0; kill < kills; kill++) {
        const running = runGatehouse(argumentsOf(site, from, to));
        const ended = running.exited.then(() => true);
        const untilMs = 250 + systemRandom.below(1500);
        if (await Promise.race([ended, delay(untilMs, false)])) continue;
        running.child.kill("SIGKILL");
        await ended;
        killed += 1;
      }
      expect(await copy(site, from, to)).toMatchObject({ code: 0, stderr: "" });
    }
    expect(killed).toBeGreaterThan(0);
    expect(rowsOf(back)).toEqual(rowsOf(first));
  });
});
