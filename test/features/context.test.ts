import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Call } from "../../src/base/call.ts";
import { permissionDenied } from "../../src/base/problem.ts";
import { write } from "../../src/features/context.ts";
import { createProjectCommands } from "../../src/features/projects/commands.ts";
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

test("a command sees what the caller holds at the moment of its write", async () => {
  const organizationId = await fixture.addOrganization();
  const held = [{ scope: { kind: "instance" as const }, roles: ["INSTANCE_VIEWER" as const] }];
  const call: Call = { ...callAs(organizationId), confirm: async () => held };
  expect(await write(fixture.context, call, async (command) => command.call.caller.held)).toEqual(held);
});
