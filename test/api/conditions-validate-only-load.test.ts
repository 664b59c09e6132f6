import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { differencesOf } from "../process/support/tables.ts";
import { toRequest } from "../support/clients.ts";
import { changing, listRpcsOf, prepare } from "./support/condition-rpcs.ts";
import { useConditionSetting } from "./support/condition-suite.ts";
import { createLeanClient, type LeanClient, leanLanes } from "./support/lean-lanes.ts";
import { readyOf } from "./support/state-refusals.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { nextPhone } from "../support/world.ts";

const rpcs = await listRpcsOf(...changing);
const setting = useConditionSetting();
const calls = 10_000;
const inFlight = 32;

let client: LeanClient;

beforeAll(() => {
  client = createLeanClient(setting.service.url);
});

afterAll(() => client.close());

test(`${calls} calls of all kinds that are only tried leave the tables and the outbox as they were`, async () => {
  const { world, traces } = setting;
  const { user: userId } = world.objects.own;
  const ready = [readyOf(world, UserService.method.setPhone, { userId, phone: nextPhone(), sendCode: {} })];
  for (const [, rpc] of rpcs) ready.push(await prepare(world, rpc));
  const made = ready.map(({ method, request, options }) => ({
    method,
    message: toRequest(method, request),
    headers: {
      ...options.headers,
      authorization: `Bearer ${options.token ?? ""}`,
      "x-service-validate-only": "true",
    },
  }));
  const before = { tables: traces.tables(), count: traces.count() };
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < calls; index = next++) {
      const { method, message, headers } = made[index % made.length] ?? fail();
      // Each turn of the calls begins with another lane.
      const lane = leanLanes[(index + Math.floor(index / made.length)) % leanLanes.length] ?? fail();
      await client.call(lane, method, message, headers);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  expect(next).toBeGreaterThanOrEqual(calls);
  expect(differencesOf(traces.tables(), before.tables)).toEqual([]);
  expect(traces.count()).toEqual(before.count);
}, 120_000); // 8 s when the machine has nothing else to do

function fail(): never {
  throw new Error("there is nothing to call");
}
