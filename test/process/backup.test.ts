import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createProject, createServiceUser } from "../support/world.ts";
import { type Place, usePlaces, useServedPlaces } from "./support/place.ts";
import { dump, openReadonly } from "./support/tables.ts";
import { keyColumns, startWriteLoad } from "./support/write-load.ts";

const createPlace = usePlaces();
const createServedPlace = useServedPlaces(createPlace);
const besideOf = (place: Place, name: string) => join(dirname(place.path), name);

/** Makes a new folder of a backup and the key. */
function restore(backup: string, from: Place): Place {
  const place = createPlace();
  mkdirSync(place.path, { mode: 0o700 });
  copyFileSync(backup, place.file("gatehouse.db"));
  copyFileSync(from.file("master.key"), place.file("master.key"));
  return place;
}

describe("gatehouse backup while 16 callers write", () => {
  test("holds every write that was acknowledged before; the copy serves with the key, and the doctor finds it well", async () => {
    const place = createPlace();
    const serving = await place.serve();
    const service = place.connect(serving);
    const { user } = await service.call(UserService.method.getMyUser, {});
    const { resourceOwner } = (user as { details: { resourceOwner: string } }).details;
    const { id: userId } = await createServiceUser(service, resourceOwner);
    const projectId = await createProject(service, resourceOwner);
    const load = startWriteLoad(service, { projectId, userId }, { json: 6, grpc: 7, "grpc-web": 3 });
    await load.reach(200);
    const before = [...load.acknowledged];
    const file = besideOf(place, "backup.db");
    const made = await place.run(["backup", file]);
    const after = load.acknowledged.length;
    await load.reach(after + 50); // nobody was held up for good
    load.end();
    await load.ended;
    expect(await serving.stop()).toBe(0);

    const { size, mode } = statSync(file);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const said =
      /^(?<file>\S+): (?<bytes>\d+) bytes, last sequence (?<sequence>\d+); keep a copy of (?<key>\S+) in another place/.exec(
        made.stdout,
      );
    expect(said?.groups).toMatchObject({ file, bytes: String(size), key: place.file("master.key") });
    expect((mode & 0o777).toString(8)).toBe("600");
    expect(after).toBeGreaterThan(before.length);
    expect(filesBeside(place)).toEqual(["backup.db", "data"]);

    const copy = openReadonly(file);
    expect(copy.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(String(copy.prepare("SELECT MAX(sequence) FROM events").pluck().get())).toBe(
      said?.groups?.["sequence"],
    );
    const lost = before.filter(
      ({ table, key }) =>
        copy.prepare<[string]>(`SELECT 1 FROM ${table} WHERE ${keyColumns[table]} = ?`).get(key) ===
        undefined,
    );
    copy.close();
    expect(lost).toEqual([]);

    const restored = restore(file, place);
    expect((await restored.run(["doctor"])).code).toBe(0);
    const again = await restored.serve();
    const answer = await restored
      .connect(again, service.adminToken)
      .call(UserService.method.getUser, { userId });
    expect(answer).toMatchObject({ user: { id: userId } });
    expect(await again.stop()).toBe(0);
  });
});

describe("gatehouse backup", () => {
  let place: Place;

  beforeAll(async () => {
    place = await createServedPlace();
  });

  test("copies what a stopped service left, and leaves the folder as it is", async () => {
    const names = () => readdirSync(place.path).toSorted();
    const before = { names: names(), tables: dump(place.file("gatehouse.db")) };
    const served = await createServedPlace();
    const file = besideOf(served, "b.db");
    const listed = readdirSync(served.path).toSorted();
    expect(await served.run(["backup", file])).toMatchObject({ code: 0 });
    expect(readdirSync(served.path).toSorted()).toEqual(listed);
    expect(dump(file)).toEqual(before.tables);
  });

  test("copies what a killed service left in the write-ahead log", async () => {
    const killed = createPlace();
    await (await killed.serve()).kill();
    const file = besideOf(killed, "b.db");
    expect(await killed.run(["backup", file])).toMatchObject({ code: 0 });
    expect(dump(file, ["users"])["users"]).toHaveLength(1);
  });

  test("leaves one folder to remove when it is cut off, and its name says of what", async () => {
    const cut = await createServedPlace();
    const file = besideOf(cut, "b.db");
    // Ends the process where the copy is whole and about to get its name: all that a backup makes is there.
    const kill = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
      fs.linkSync = () => process.kill(process.pid, "SIGKILL"); syncBuiltinESMExports();`;
    const node = ["--import", `data:text/javascript,${encodeURIComponent(kill)}`];
    expect(await cut.run(["backup", file], {}, { node })).toMatchObject({ code: null, stdout: "" });
    expect(filesBeside(cut)).toEqual(["b.db.partial", "data"]);
    expect((statSync(`${file}.partial`).mode & 0o777).toString(8)).toBe("700");
    rmSync(`${file}.partial`, { recursive: true });
    expect(await cut.run(["backup", file])).toMatchObject({ code: 0 });
    expect(filesBeside(cut)).toEqual(["b.db", "data"]);
  });

  test("holds neither the key nor the token", async () => {
    const file = besideOf(place, "secrets.db");
    expect(await place.run(["backup", file])).toMatchObject({ code: 0 });
    const bytes = readFileSync(file);
    const [, key = ""] = readFileSync(place.file("master.key"), "utf8").trim().split(" ");
    for (const secret of [Buffer.from(key, "base64"), Buffer.from(place.adminToken()), Buffer.from(key)])
      expect(bytes.includes(secret)).toBe(false);
  });

  test("is refused where it would overwrite, or where there is no folder, and by a damaged database", async () => {
    const taken = besideOf(place, "taken.db");
    writeFileSync(taken, "kept");
    const half = besideOf(place, "half.db");
    writeFileSync(`${half}.partial`, "kept");
    const damaged = await createServedPlace();
    truncateSync(damaged.file("gatehouse.db"), 40_960);
    const into = (from: Place, file: string) => from.run(["backup", file]);
    const refused = (message: string) => ({ code: 1, stdout: "", stderr: `gatehouse: ${message}\n` });
    const nowhere = besideOf(place, "nowhere/b.db");
    const lost = besideOf(damaged, "b.db");
    const empty = createPlace();
    expect(
      await Promise.all([
        into(place, taken),
        into(place, half),
        into(place, nowhere),
        into(damaged, lost),
        into(empty, besideOf(empty, "b.db")),
      ]),
    ).toEqual([
      refused(`${taken} already exists; choose another name`),
      refused(
        `${half}.partial already exists: another backup is running, or one was interrupted; if none is running, remove it`,
      ),
      refused(`there is no folder ${dirname(nowhere)}`),
      refused(`${damaged.file("gatehouse.db")} cannot be read: database disk image is malformed`),
      refused(`there is no ${empty.file("gatehouse.db")}`),
    ]);
    expect([readFileSync(taken, "utf8"), readFileSync(`${half}.partial`, "utf8")]).toEqual(["kept", "kept"]);
    expect([existsSync(half), ...filesBeside(damaged)]).toEqual([false, "data"]);
    expect(await place.run(["backup"])).toMatchObject({ code: 2, stdout: "" });
  });
});

function filesBeside(place: Place): readonly string[] {
  return readdirSync(dirname(place.path))
    .map((name) => basename(name))
    .toSorted();
}
