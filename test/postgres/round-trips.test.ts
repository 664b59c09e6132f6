import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createCaller, type Caller } from "../faults/support/calls.ts";
import { mustCall } from "../faults/support/ground.ts";
import { type Services, startServices } from "./faults/support/services.ts";
import { gatehouse, type Single, startSingle } from "./support/pair.ts";
import { type Proxy, startProxy } from "./support/proxy.ts";

// How often a call waits for the database. With a database that is half a millisecond away, that decides about its time.

let single: Single;
let proxy: Proxy;
let services: Services;
let caller: Caller;
let projectId: string;
beforeAll(async () => {
  single = await startSingle();
  proxy = await startProxy(single.server.port);
  const database = `postgres://${gatehouse}@127.0.0.1:${proxy.port}/${gatehouse}`;
  services = await startServices({ databases: [database] });
  caller = createCaller(services.addresses[0]?.url ?? "", services.token, "1.1");
  ({ id: projectId } = await mustCall(caller, "ProjectService/AddProject", { name: "ground" }));
  await mustCall(caller, "ProjectService/AddProjectRole", { projectId, roleKey: "a" });
}, 60_000);
afterAll(async () => {
  caller?.close();
  await services?.remove();
  await proxy?.close();
  await single?.remove();
});

/** Returns how many round trips a call waits for, one after the other: so often is the delay in its time, in the best of some tries. */
async function roundTripsOf(act: (index: number) => Promise<unknown>): Promise<number> {
  const delayMs = 50;
  for (let index = 0; index < 3; index += 1) await act(index); // statements are prepared
  proxy.delay(delayMs);
  let bestMs = Number.POSITIVE_INFINITY;
  for (let index = 3; index < 10; index += 1) {
    const startMs = performance.now();
    await act(index);
    bestMs = Math.min(bestMs, performance.now() - startMs);
  }
  proxy.delay(0);
  return Math.floor(bestMs / delayMs);
}

const addUsers = async (count: number, name: string): Promise<readonly string[]> =>
  await Promise.all(
    Array.from({ length: count }, async (_each, index) => {
      const user = { username: `${name}-${index}`, name: `${name} ${index}` };
      return (await mustCall(caller, "UserService/AddServiceUser", user)).userId as string;
    }),
  );
const addGrant = async (userId: string | undefined) =>
  await mustCall(caller, "UserGrantService/AddUserGrant", { userId, projectId, roleKeys: ["a"] });

test("GetProject waits for one round trip", async () => {
  expect(
    await roundTripsOf(async () => await mustCall(caller, "ProjectService/GetProject", { id: projectId })),
  ).toBe(1);
});

test("AddUserGrant alone waits for four: what others have committed, the lock, what the decision needs, the commit", async () => {
  const users = await addUsers(10, "alone");
  expect(await roundTripsOf(async (index) => await addGrant(users[index]))).toBe(4);
});

test("AddUserGrants that come together wait for little more than what each decision needs", async () => {
  const count = 256;
  const users = await addUsers(count, "together");
  proxy.delay(1); // what is sent at nearly the same time is one round trip
  const before = proxy.roundTrips();
  await Promise.all(users.map(addGrant));
  const made = proxy.roundTrips() - before;
  proxy.delay(0);
  expect(made / count).toBeLessThanOrEqual(1.6);
});
