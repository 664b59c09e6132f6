import { beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import Sqlite from "better-sqlite3";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { openWatch } from "../api/support/watch.ts";
import { flipBit, type Stored } from "../support/flipped-bit.ts";
import { createCaller, createWorld, uniqueName } from "../support/world.ts";
import { type Place, usePlaces } from "./support/place.ts";

// A disk has changed a bit in each column of the log, each in an event of its own, and in each one of the secrets.

const createPlace = usePlaces();

let place: Place;
let serving: Awaited<ReturnType<Place["serve"]>>;
let before: readonly JsonObject[];

beforeAll(async () => {
  place = createPlace();
  serving = await place.serve(["--dev"]);
  const service = place.connect(serving);
  await createWorld(service);
  const { organizationId, projectId } = await createWorld(service);
  const roles = ["a", "b", "c"].map((roleKey) => ({ roleKey })); // one address for three events
  await createCaller(service, organizationId)(ProjectService.method.bulkAddProjectRoles, {
    projectId,
    roles,
  });
  before = await list();
  flipAll();
});

/** Changes the columns, each of another event, and those of the hash of a token and of the key of a user. */
function flipAll(): void {
  const database = new Sqlite(place.file("gatehouse.db"));
  database.defaultSafeIntegers(true);
  database.pragma("foreign_keys = OFF");
  const flip = (table: string, { key, column }: Record<"key" | "column", string>, condition: string) => {
    const found = database
      .prepare(
        `SELECT ${key} AS key, ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL AND ${condition} LIMIT 1`,
      )
      .get() as { key: Stored; value: Stored }; // as selected
    const bit = { sequence: 50, date: 62, remote_address_of: 7 }[column] ?? 2;
    const set = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`);
    expect(set.run(flipBit(found.value, bit), found.key).changes).toBe(1);
    return found.key;
  };
  const columns = (database.pragma("table_info(events)") as { name: string }[]).map(({ name }) => name);
  const flipped: Stored[] = [];
  // First what few events have, last what an event is found by.
  const others = columns.filter((name) => !/^(personal|version|sequence|checksum)$/.test(name));
  for (const column of ["personal", "version", ...others, "sequence"]) {
    const sealed = column === "version" ? " AND personal IS NOT NULL" : "";
    const untouched = `sequence NOT IN (${flipped.join(", ")}) AND remote_address_of IS NULL${sealed}`;
    const condition = column === "remote_address_of" ? "TRUE" : untouched;
    flipped.push(flip("events", { key: "sequence", column }, condition));
  }
  const of = (kind: string) => `id LIKE '${kind}:%'`;
  flip("secrets", { key: "id", column: "value" }, of("user-key"));
  flip("secrets", { key: "id", column: "key_id" }, of("u2f-challenge"));
  flip("secrets", { key: "id", column: "id" }, of("phone-code"));
  database.close();
}

async function list(): Promise<readonly JsonObject[]> {
  const answer = await place.connect(serving).call(EventService.method.listEvents, { pageSize: 1000 });
  return answer["events"] as readonly JsonObject[]; // as the contract has it
}

/** Looks at the events in every way that a running service offers, and changes something. */
async function expectAllEvents(): Promise<void> {
  const listed = await list();
  expect(listed).toHaveLength(before.length);
  expect(await serving.logged("events.unreadable")).toMatchObject({ level: 50, columns: expect.any(Number) });
  const watch = openWatch("grpc", serving.url, { afterSequence: 0n }, { token: place.adminToken() });
  await watch.until(({ length }) => length === before.length);
  watch.cancel();
  expect(watch.events.map(({ sequence }) => String(sequence))).toEqual(
    listed.map(({ sequence }) => sequence),
  );
  const service = place.connect(serving);
  await service.call(ProjectService.method.addProject, { name: uniqueName("Project") });
  before = [...before, ...(await list()).slice(-1)];
}

async function expectCommands(): Promise<void> {
  const events = await place.run(["events"]);
  expect(events).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^gatehouse: \d+ values cannot be read and were left out; run gatehouse doctor\n$/,
    ),
  });
  expect(events.stdout.trimEnd().split("\n")).toHaveLength(before.length);
  const { code, stdout, stderr } = await place.run(["doctor"]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toMatch(
    /^FAILED {2}checksums: 17 of \d+ rows have changed since they were written, the first is /m,
  );
  expect(stdout).toMatch(/^FAILED {2}sealed values: \d+ values cannot be read, the first is /m);
}

// In order: the second test is about the service that starts on what the first one leaves.
describe("a bit of each column was changed on the disk", () => {
  test("while the service runs: every event is listed and watched, and doctor and events tell of it", async () => {
    await expectAllEvents();
    await expectCommands();
  });

  test("and it was started again: so it is, and neither a backup nor a rebuild is made of it", async () => {
    expect(await serving.stop()).toBe(0);
    expect(await place.run(["rebuild"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^gatehouse: the event \d+ \([^\n]+\) cannot be applied: [^\n]+\n$/),
    });
    serving = await place.serve(["--dev"]);
    await expectAllEvents();
    await expectCommands();
    const copy = `${place.path}.backup`;
    expect(await place.run(["backup", copy])).toMatchObject({
      code: 1, // an event refers to none
      stderr: "gatehouse: the copy is damaged, so the database is damaged too; run gatehouse doctor\n",
    });
    expect(await serving.stop()).toBe(0);
  });
});

test("a sequence beyond all that can be given is refused at the start, in one line", async () => {
  const other = createPlace();
  expect(await (await other.serve()).stop()).toBe(0);
  const database = new Sqlite(other.file("gatehouse.db"));
  database.exec(
    "UPDATE events SET sequence = sequence | (1 << 61) WHERE sequence = (SELECT MAX(sequence) FROM events)",
  );
  database.close();
  const { code, stderr } = await other.run(["serve", "--listen", "127.0.0.1:0"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^gatehouse: [^\n]+ is damaged: it contains an event with the sequence \d+; restore a backup\n$/,
  );
});
