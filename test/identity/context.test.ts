import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Call, WriteUnit } from "../../src/kernel/base/call.ts";
import type { Database, WriteOptions } from "../../src/kernel/base/database.ts";
import { permissionDenied } from "../../src/kernel/base/problem.ts";
import { write } from "../../src/identity/context.ts";
import { createProjectCommands } from "../../src/identity/projects/commands.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../support/feature-fixture.ts";
import { projectSettings } from "../support/samples.ts";

let fixture: FeatureFixture;

beforeEach(async () => {
  fixture = await openFeatureFixture();
});

afterEach(() => fixture.close());

test("a command whose call is not confirmed inside of its write changes nothing", async () => {
  const organizationId = await fixture.addOrganization();
  const call: Call = {
    ...callAs(organizationId),
    confirm: () => Promise.reject(permissionDenied("project.create", organizationId)),
  };
  const commands = createProjectCommands(fixture.context);
  await expect(commands.add(call, projectSettings())).rejects.toMatchObject({ reason: "PERMISSION_DENIED" });
  const projects = await fixture.database.read((tx) => tx.all("SELECT id FROM projects"));
  expect(projects).toEqual([]);
});

test("the steps that follow a command are those of its last start", async () => {
  const steps: string[] = [];
  const starts: (boolean | undefined)[] = [];
  const database: Database = {
    ...fixture.database,
    write: (fn, options) =>
      fixture.database.write(async (tx) => {
        starts.push(options?.mayStartEarly);
        await fn(tx);
        return await fn(tx);
      }),
  };
  let count = 0;
  await write({ ...fixture.context, database }, callAs(await fixture.addOrganization()), async (command) => {
    const name = `of start ${++count}`;
    command.afterCommit(() => void steps.push(name));
  });
  expect(steps).toEqual(["of start 2"]);
  expect(starts).toEqual([true]);
});

test("a command in a unit is not started early", async () => {
  const seen: WriteOptions[] = [];
  const unit: WriteUnit = {
    async write(database, work, { options }) {
      seen.push(options);
      return await database.write(work, options);
    },
  };
  const call = { ...callAs(await fixture.addOrganization()), unit };
  await write(fixture.context, call, async () => "done");
  expect(seen).toHaveLength(1);
  expect(seen[0]?.mayStartEarly).toBeUndefined();
});

test("a command sees what the caller holds at the moment of its write", async () => {
  const organizationId = await fixture.addOrganization();
  const held = [{ scope: { kind: "instance" as const }, roles: ["INSTANCE_VIEWER" as const] }];
  const call: Call = { ...callAs(organizationId), confirm: async () => held };
  expect(await write(fixture.context, call, async (command) => command.call.caller.held)).toEqual(held);
});
