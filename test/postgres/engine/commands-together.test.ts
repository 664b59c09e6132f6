import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createUserGrantCommands } from "../../../src/features/user-grants/commands.ts";
import { createPostgresEngine } from "../../support/engine/postgres-engine.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { startCluster, type TestCluster } from "../connect/support/cluster.ts";
import { type Proxy, startProxy } from "../support/proxy.ts";

let cluster: TestCluster;
let proxy: Proxy;
let fixture: FeatureFixture;

beforeAll(async () => {
  cluster = await startCluster({ fsync: "off" });
  proxy = await startProxy(cluster.server.port);
  fixture = await openFeatureFixture(
    createPostgresEngine(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`),
  );
});
afterAll(async () => {
  await fixture.close();
  await proxy.close();
  await cluster.folder.remove();
});

// The clock of the fixture stands still, so that only the number of commands ends a batch, however slow the machine is.
test("AddUserGrants that come together wait for few round trips: a command starts, and reads, before its turn", async () => {
  const organizationId = await fixture.addOrganization();
  const projectId = await fixture.addProject(organizationId, ["a"]);
  const count = 256;
  const users = await Promise.all(Array.from({ length: count }, () => fixture.addUser(organizationId)));
  const commands = createUserGrantCommands(fixture.context);
  const call = callAs(organizationId);
  const before = proxy.roundTrips();
  await Promise.all(
    users.map((userId) => commands.add(call, { userId, projectId, projectGrantId: "", roleKeys: ["a"] })),
  );
  expect((proxy.roundTrips() - before) / count).toBeLessThanOrEqual(0.4);
});
