import { beforeAll, describe, expect, test } from "@jest/globals";
import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { addManyUsers } from "./support/many-users.ts";
import { type Place, usePlaces, useServedPlaces } from "./support/place.ts";
import { dump, openReadonly, projectionsOf } from "./support/tables.ts";

// The rows of a large organization go after the answer to its removal. The process is killed in the middle of that.

const createPlace = usePlaces();
const createServedPlace = useServedPlaces(createPlace);
const users = 1000;

let killed: Place;
let organizationId: string;

beforeAll(async () => {
  killed = await createServedPlace();
  organizationId = await addManyUsers(killed.path, users);
  const serving = await killed.serve();
  const service = killed.connect(serving);
  await service.call(OrganizationService.method.removeOrganization, { id: organizationId });
  await serving.kill();
});

function createKilledPlace(): Place {
  const place = createPlace();
  cpSync(killed.path, place.path, { recursive: true });
  return place;
}

/** Returns how many of the users still have a row. */
function countLeft(place: Place): number {
  const database = openReadonly(place.file("gatehouse.db"));
  try {
    const sql = "SELECT COUNT(*) FROM stored_users WHERE resource_owner = ?";
    return database.prepare<[string], number>(sql).pluck().get(organizationId) ?? 0;
  } finally {
    database.close();
  }
}

/** Serves until the last row is gone, and ends in order. */
async function sweep(place: Place): Promise<void> {
  const serving = await place.serve();
  const { call } = place.connect(serving);
  const database = openReadonly(place.file("gatehouse.db"));
  const one = database.prepare("SELECT 1 FROM removed_organizations");
  while (one.get() !== undefined) await call(UserService.method.getMyUser, {});
  database.close();
  expect(await serving.stop()).toBe(0);
}

const well = { code: 0, stderr: "" };

describe("a service that was killed while the rows of a removed organization went", () => {
  test("has left some, whose keys nothing opens, and no fault", async () => {
    const left = countLeft(killed);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(users);
    const { secrets = [] } = dump(killed.file("gatehouse.db"), ["secrets"]);
    const ids = secrets.map(({ id }) => String(id));
    expect(ids.filter((id) => id.startsWith("user-key:")).length).toBeGreaterThanOrEqual(left);
    expect(ids).not.toContain(`organization-key:${organizationId}`);
    expect(await killed.run(["doctor"])).toMatchObject(well);
    const { stdout } = await killed.run(["events"]);
    expect(stdout).not.toContain("Zq7Name");
  });

  test("sweeps them when it is started again, out of the files too", async () => {
    const place = createKilledPlace();
    await sweep(place);
    expect(countLeft(place)).toBe(0);
    const { secrets = [] } = dump(place.file("gatehouse.db"), ["secrets"]);
    expect(secrets.map(({ id }) => String(id)).filter((id) => id.startsWith("user-key:"))).toHaveLength(1);
    expect(await place.run(["doctor"])).toMatchObject(well);
    const rebuilt = createKilledPlace();
    expect(await rebuilt.run(["rebuild"])).toMatchObject(well);
    const tables = (of: Place) => projectionsOf(dump(of.file("gatehouse.db")));
    expect(tables(rebuilt)).toEqual(tables(place));
  });

  test("stops at once in the middle of them, and serves nobody of them", async () => {
    const place = createKilledPlace();
    const serving = await place.serve();
    const service = place.connect(serving);
    const listed = await service.call(OrganizationService.method.listOrganizations, { countTotal: true });
    expect(listed).toMatchObject({ details: { totalResult: "1" } });
    const database = openReadonly(place.file("gatehouse.db"));
    const one = database.prepare("SELECT id, username FROM stored_users WHERE resource_owner = ? LIMIT 1");
    const { id, username } = one.get(organizationId) as { id: string; username: string };
    database.close();
    const { json } = service.clients;
    const token = place.adminToken();
    expect(await json.call(UserService.method.getUser, { userId: id }, { token })).toMatchObject({
      status: { code: 5 },
    });
    await service.call(UserService.method.addServiceUser, { username, name: "Again" });
    expect(await serving.stop()).toBe(0);
    expect(await place.run(["doctor"])).toMatchObject(well);
  });

  test("can be backed up, and the backup is swept where it is restored", async () => {
    const copy = `${killed.path}.backup`;
    expect(await killed.run(["backup", copy])).toMatchObject(well);
    const restored = createPlace();
    mkdirSync(restored.path, { mode: 0o700 });
    copyFileSync(copy, restored.file("gatehouse.db"));
    for (const name of ["master.key", "admin.token"]) copyFileSync(killed.file(name), restored.file(name));
    expect(countLeft(restored)).toBe(countLeft(killed));
    await sweep(restored);
    expect(await restored.run(["doctor"])).toMatchObject(well);
  });

  test("can have its master key changed", async () => {
    const place = createKilledPlace();
    expect(await place.run(["keys", "rotate"])).toMatchObject(well);
    expect(await place.run(["doctor"])).toMatchObject(well);
  });
});
