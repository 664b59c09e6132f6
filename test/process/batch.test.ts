import { beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { existsSync, readFileSync } from "node:fs";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { resultsOf, writeItems } from "../support/batch.ts";
import type { CallOptions } from "../support/clients.ts";
import { answerOf, refusalOf } from "../support/service.ts";
import { createWorld, idOf, uniqueName, type World } from "../support/world.ts";
import { type ConnectedService, type Place, usePlaces } from "./support/place.ts";
import { dump } from "./support/tables.ts";

const createPlace = usePlaces();
let place: Place;
let service: ConnectedService;
let world: World;
beforeAll(async () => {
  place = createPlace();
  service = place.connect(await place.serve(["--dev"]));
  world = await createWorld(service);
});

const human = (username: string): JsonObject => ({
  addHumanUser: { username, givenName: "Bq7Given", familyName: "Bq7Family", email: "bq7@example.com" },
});
/** Each costs a key and two encryptions. */
const manyHumans = () => Array.from({ length: 1000 }, () => human(uniqueName("bq7")));
const write = (items: readonly JsonObject[], options: CallOptions = {}, allowPartialSuccess = false) =>
  writeItems(
    service.clients.json,
    { items, allowPartialSuccess },
    {
      token: service.adminToken,
      ...options,
      headers: { "x-service-orgid": world.organizationId, ...options.headers },
    },
  );
const tables = () => dump(place.file("gatehouse.db"));
const sequenceOf = (answer: JsonObject | undefined) =>
  BigInt(idOf((answer?.["details"] ?? {}) as JsonObject, "sequence"));

/** Returns how many changes wait, as the service says at this moment. */
async function waitingWrites(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^gatehouse_writes_waiting (\d+)$/m.exec(text)?.[1]);
}

test("reads and health checks are answered while a batch of 1,000 is done; a change waits until it is over", async () => {
  const state = { isOver: false };
  const batch = write(manyHumans()).finally(() => {
    state.isOver = true;
  });
  const seen = { waiting: 0, healthy: 0, reads: 0 };
  const options = { token: service.adminToken, headers: { "x-service-orgid": world.organizationId } };
  let change: Promise<JsonObject> | undefined;
  let waited: Promise<JsonObject> | undefined;
  while (!state.isOver) {
    // Once it waits, the batch is under way.
    change ??= service.call(OrganizationService.method.addOrganization, { name: uniqueName("Behind") });
    if ((await waitingWrites()) === 0) {
      await change;
      change = undefined;
      continue;
    }
    waited = change;
    seen.waiting += 1;
    seen.healthy += (await fetch(`${service.url}/healthz`)).status === 200 ? 1 : 0;
    const list = await service.clients.grpc.call(
      ProjectService.method.listProjects,
      { pageSize: 1 },
      options,
    );
    if (answerOf(list)["projects"] !== undefined) seen.reads += 1;
  }
  expect(seen.waiting).toBeGreaterThan(0);
  expect(seen.healthy).toBeGreaterThan(0);
  expect(seen.reads).toBeGreaterThan(0);
  const last = resultsOf(await batch).at(-1)?.["addHumanUser"] as JsonObject;
  expect(sequenceOf(await waited)).toBeGreaterThan(sequenceOf(last));
});

test("a deadline that passes while a batch is done leaves nothing of it", async () => {
  const before = tables();
  const outcome = await write(manyHumans(), { headers: { "connect-timeout-ms": "60" } });
  expect(refusalOf(outcome)).toMatchObject({ code: 4, reason: "DEADLINE_EXCEEDED" });
  const added = await service.call(OrganizationService.method.addOrganization, { name: uniqueName("Next") });
  const organizationId = idOf(added, "organizationId");
  const isNew = (row: Readonly<Record<string, unknown>>) => JSON.stringify(row).includes(organizationId);
  const after = tables();
  for (const [table, rows] of Object.entries(after))
    expect([table, rows.filter((row) => !isNew(row)).length]).toEqual([table, before[table]?.length]);
});

describe("removing users in a batch", () => {
  const files = () =>
    ["gatehouse.db", "gatehouse.db-wal"]
      .map((name) => place.file(name))
      .map((file) => (existsSync(file) ? readFileSync(file, "latin1") : ""))
      .join("");
  const add = async (names: readonly string[]) => {
    const results = resultsOf(await write(names.map(human)));
    return results.map(({ addHumanUser }) => idOf(addHumanUser as JsonObject, "userId"));
  };
  const leftOf = (names: readonly string[]) => names.filter((name) => files().includes(name));

  test.each([false, true])(
    "leaves nothing of them in the files when it is answered (each for itself: %s)",
    async (isPartial) => {
      const names = ["Bq7One", "Bq7Two", "Bq7Three"].map((name) => `${name}-${String(isPartial)}`);
      const ids = await add(names);
      expect(leftOf(names)).toEqual(names);
      const removals = ids.map((userId) => ({ removeUser: { userId } }));
      const items = isPartial ? [{ removeUser: { userId: "1" } }, ...removals] : removals;
      resultsOf(await write(items, {}, isPartial));
      expect(leftOf(names)).toEqual([]);
    },
  );

  test("keeps them when the batch fails as a whole", async () => {
    const names = ["Bq7Kept-1", "Bq7Kept-2"];
    const ids = await add(names);
    const items = [...ids, "1"].map((userId) => ({ removeUser: { userId } }));
    expect(refusalOf(await write(items)).reason).toBe("NOT_FOUND");
    expect(leftOf(names)).toEqual(names);
    const { user } = await service.call(UserService.method.getUser, { userId: ids[0] ?? "" });
    expect(user).toMatchObject({ username: names[0] });
  });
});
