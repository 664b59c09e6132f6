import { beforeAll, describe, expect, test } from "@jest/globals";
import { dirname } from "node:path";
import { rmSync } from "node:fs";
import type Sqlite from "better-sqlite3";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createProject, createServiceUser } from "../support/world.ts";
import { type Place, usePlaces } from "./support/place.ts";
import { rebuildHere } from "./support/rebuild-here.ts";
import { copyDataFolder, differencesOf, dump, openReadonly } from "./support/tables.ts";
import { type Acknowledged, keyColumns, rolesPerWrite, startWriteLoad } from "./support/write-load.ts";

const createPlace = usePlaces();
const rounds = 20;

/** A round of load is cut off somewhere between these numbers of acknowledged rows, and some microseconds later. */
const leastRows = 5;
const mostRows = 60;

describe("SIGKILL in the middle of a write load", () => {
  let place: Place;
  let target: { readonly projectId: string; readonly userId: string };
  /** Everything acknowledged so far, and the last sequence in the log after the last kill. */
  const acknowledged: Acknowledged[] = [];
  let lastSequence = 0;
  let eventCount = 0;
  let firstEventCount = 0;

  beforeAll(async () => {
    place = createPlace();
    const serving = await place.serve();
    const service = place.connect(serving);
    const { user } = await service.call(UserService.method.getMyUser, {});
    const { resourceOwner } = (user as { details: { resourceOwner: string } }).details;
    const { id } = await createServiceUser(service, resourceOwner);
    target = { projectId: await createProject(service, resourceOwner), userId: id };
    expect(await serving.stop()).toBe(0);
    const log = readBack(place.file("gatehouse.db"));
    firstEventCount = log.eventCount;
    ({ lastSequence, eventCount } = log);
    log.close();
  });

  test.each(Array.from({ length: rounds }, (_, index) => index + 1))(
    "round %d: what was acknowledged is there, the rest wholly or not at all, and the log makes the same tables",
    async () => {
      const made = await loadAndKill(place, target);
      acknowledged.push(...made);
      const copy = copyDataFolder(place.path, dirname(place.path));
      const before = readBack(`${copy}/gatehouse.db`);
      expect(before.integrity).toEqual(["ok"]);
      expect(before.lost(acknowledged)).toEqual([]);
      expect(before.halves).toEqual([]);
      // All that was written since the last kill comes after all that was there.
      expect(before.countUpTo(lastSequence)).toBe(eventCount);
      expect(Math.min(...made.map(({ sequence }) => sequence))).toBeGreaterThan(lastSequence);
      ({ lastSequence, eventCount } = before);
      before.close();

      const tables = dump(`${copy}/gatehouse.db`);
      expect(await rebuildHere(copy)).toBe(eventCount);
      expect(differencesOf(dump(`${copy}/gatehouse.db`), tables)).toEqual([]);
      rmSync(copy, { recursive: true });
    },
  );

  test("some of the writes were cut off before their answer", () => {
    // Every acknowledged row has an event of its own.
    expect(eventCount - firstEventCount).toBeGreaterThan(acknowledged.length);
  });

  test("afterwards `gatehouse rebuild` changes no table, and the service goes on", async () => {
    const before = dump(place.file("gatehouse.db"));
    const rebuilt = await place.run(["rebuild"]);
    expect(rebuilt).toEqual({ code: 0, stdout: `${eventCount} events applied\n`, stderr: "" });
    expect(differencesOf(dump(place.file("gatehouse.db")), before)).toEqual([]);
    const serving = await place.serve();
    const last = acknowledged.findLast(({ table }) => table === "users");
    const userId = last?.key ?? "";
    const answer = await place.connect(serving).call(UserService.method.getUser, { userId });
    expect(answer).toMatchObject({ user: { id: userId, details: { sequence: String(last?.sequence) } } });
    expect(await serving.stop()).toBe(0);
  });
});

/** Serves, writes, and kills the service at a moment that nobody knows before. Returns what was acknowledged. */
async function loadAndKill(
  place: Place,
  target: { readonly projectId: string; readonly userId: string },
): Promise<readonly Acknowledged[]> {
  const serving = await place.serve();
  const load = startWriteLoad(place.connect(serving), target);
  await load.reach(leastRows + Math.floor(Math.random() * (mostRows - leastRows)));
  await new Promise((resolve) => {
    setTimeout(resolve, Math.random() * 4);
  });
  load.end();
  await serving.kill();
  await load.ended;
  return load.acknowledged;
}

/** Opens a database that was killed, which recovers it, and reads what must be in it. */
function readBack(file: string) {
  const database = openReadonly(file);
  const column = (sql: string) => database.prepare<[]>(sql).pluck().all();
  const number = (sql: string, ...parameters: number[]) =>
    Number(
      database
        .prepare<number[]>(sql)
        .pluck()
        .get(...parameters),
    );
  return {
    integrity: [...column("PRAGMA integrity_check"), ...column("PRAGMA foreign_key_check")],
    lost: (acknowledged: readonly Acknowledged[]) => findLost(database, acknowledged),
    halves: findHalves(column),
    lastSequence: number("SELECT MAX(sequence) FROM events"),
    eventCount: number("SELECT COUNT(*) FROM events"),
    countUpTo: (sequence: number) => number("SELECT COUNT(*) FROM events WHERE sequence <= ?", sequence),
    close: () => database.close(),
  };
}

/** Returns the acknowledged writes whose row or event is not there with the sequence that was answered. */
function findLost(database: Sqlite.Database, acknowledged: readonly Acknowledged[]): readonly Acknowledged[] {
  const event = database.prepare("SELECT 1 FROM events WHERE sequence = ?");
  const rows = new Map(
    Object.entries(sequenceRule).map(([table, rule]) => [
      table,
      database.prepare(
        `SELECT 1 FROM ${table} WHERE ${keyColumns[table as Acknowledged["table"]]} = ? AND ${rule}`,
      ),
    ]),
  );
  return acknowledged.filter(
    ({ table, key, sequence }) =>
      rows.get(table)?.get(key, sequence) === undefined || event.get(sequence) === undefined,
  );
}

/** A role's sequence is that of its own event; the answer has the last one of the command. */
const sequenceRule = {
  projects: "sequence = ?",
  project_roles: `sequence BETWEEN ? - ${rolesPerWrite - 1} AND 9e15`,
  users: "sequence = ?",
  personal_access_tokens: "sequence = ?",
  identity_providers: "sequence = ?",
} as const satisfies Record<Acknowledged["table"], string>;

/** Returns what is there only in part: some roles of one command, a user or a token without its secret, a secret alone. */
function findHalves(column: (sql: string) => unknown[]): readonly unknown[] {
  const both = (table: string, prefix: string) =>
    column(
      `SELECT COALESCE(t.id, s.id) FROM (SELECT id FROM ${table}) t
       FULL JOIN (SELECT id FROM secrets WHERE id LIKE '${prefix}:%') s ON s.id = '${prefix}:' || t.id
       WHERE t.id IS NULL OR s.id IS NULL`,
    );
  return [
    ...column(
      `SELECT substr(role_key, 1, instr(role_key, '/')) AS stem FROM project_roles GROUP BY stem HAVING COUNT(*) <> ${rolesPerWrite}`,
    ),
    ...both("users", "user-key"),
    ...both("personal_access_tokens", "token"),
    ...column(
      `SELECT COUNT(*) AS found FROM identity_providers HAVING found <> (SELECT COUNT(*) FROM secrets WHERE id LIKE 'client-secret:%')`,
    ),
  ];
}
