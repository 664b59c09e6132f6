import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { OrganizationId, ProjectId } from "../../../src/kernel/base/ids.ts";
import type { HeldRoles, Role } from "../../../src/kernel/base/permission.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { createProjectCommands } from "../../../src/identity/projects/commands.ts";
import { createSearchCommands } from "../../../src/identity/search-everywhere/commands.ts";
import { addHumanUser, addServiceUser } from "../../../src/identity/people/user/user.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { humanProfile, projectSettings, serviceProfile } from "../../support/samples.ts";

let fixture: FeatureFixture;
let home: OrganizationId;
let other: OrganizationId;
let shop: ProjectId;
let applicationId: string;

beforeAll(async () => {
  fixture = await openFeatureFixture();
  [home, other] = [await fixture.addOrganization(), await fixture.addOrganization()];
  const { record, context } = fixture;
  const rename = (id: OrganizationId, name: string): NewEvent => ({
    type: "organization.changed",
    aggregateId: id,
    resourceOwner: id,
    payload: { name },
  });
  await record(rename(home, "Lamp Works"), rename(other, "Lampion"));
  const addProject = async (organizationId: OrganizationId, name: string) =>
    (await createProjectCommands(context).add(callAs(organizationId), projectSettings({ name }))).id;
  shop = await addProject(home, "Lamp shop");
  await addProject(home, "New lamps");
  await addProject(other, "Lamp room");
  applicationId = context.ids.next();
  await record({
    type: "application.api.added",
    aggregateId: applicationId,
    resourceOwner: home,
    payload: { project_id: shop, name: "Lamp API", auth_method_type: "BASIC" },
  });
  const grace = humanProfile({
    username: "grace",
    givenName: "Grace",
    familyName: "Lampert",
    displayName: "",
    email: "",
  });
  await record(addHumanUser(context.ids.next(), home, grace));
  await record(
    addServiceUser(context.ids.next(), other, serviceProfile({ username: "lamp-bot", name: "Bot" })),
  );
  await record({
    type: "group.added",
    aggregateId: context.ids.next(),
    resourceOwner: home,
    payload: { name: "Makers", description: "of lamps", external_id: "" },
  });
});
afterAll(() => fixture.close());

const held = (role: Role, scope: HeldRoles["scope"]): HeldRoles => ({ scope, roles: [role] });
const onHome = (role: Role) => held(role, { kind: "organization", organizationId: home });

async function search(roles: readonly HeldRoles[], text: string, limit = 0) {
  const call = callAs(home);
  const caller = { ...call.caller, held: roles };
  const commands = createSearchCommands(fixture.context);
  const hits = await commands.search({ ...call, caller }, { search: text, limit });
  return hits.map(({ kind, name, username, organizationName }) =>
    [kind, name, username, organizationName].filter((part) => part !== "").join(" / "),
  );
}

describe("a search in everything", () => {
  const onInstance = [held("INSTANCE_VIEWER", { kind: "instance" })];

  test("finds objects of each kind wherever the caller may read them, names that begin with the text first", async () => {
    expect(await search(onInstance, "LAMP")).toEqual([
      "ORGANIZATION / Lamp Works / Lamp Works",
      "ORGANIZATION / Lampion / Lampion",
      "PROJECT / Lamp room / Lampion",
      "PROJECT / Lamp shop / Lamp Works",
      "PROJECT / New lamps / Lamp Works",
      "APPLICATION / Lamp API / Lamp Works",
      "USER / Bot / lamp-bot / Lampion",
      "USER / Grace Lampert / grace / Lamp Works",
      "GROUP / Makers / Lamp Works",
    ]);
    expect(await search(onInstance, "lamp", 1)).toEqual([
      "ORGANIZATION / Lamp Works / Lamp Works",
      "PROJECT / Lamp room / Lampion",
      "APPLICATION / Lamp API / Lamp Works",
      "USER / Bot / lamp-bot / Lampion",
      "GROUP / Makers / Lamp Works",
    ]);
    expect(await search(onInstance, "lam gr")).toEqual(["USER / Grace Lampert / grace / Lamp Works"]);
    expect(await search(onInstance, applicationId)).toEqual(["APPLICATION / Lamp API / Lamp Works"]);
  });

  test("finds in organizations what the role there lets the caller read", async () => {
    expect(await search([onHome("ORGANIZATION_VIEWER")], "lamp")).toEqual([
      "ORGANIZATION / Lamp Works / Lamp Works",
      "PROJECT / Lamp shop / Lamp Works",
      "PROJECT / New lamps / Lamp Works",
      "APPLICATION / Lamp API / Lamp Works",
      "USER / Grace Lampert / grace / Lamp Works",
      "GROUP / Makers / Lamp Works",
    ]);
    expect(await search([onHome("ORGANIZATION_USER_MANAGER")], "lamp")).not.toContain(
      "APPLICATION / Lamp API / Lamp Works",
    );
  });

  test("finds single projects with their applications, and does not name their organization", async () => {
    const onShop = held("PROJECT_VIEWER", { kind: "project", projectId: shop, organizationId: home });
    expect(await search([onShop], "lamp")).toEqual(["PROJECT / Lamp shop", "APPLICATION / Lamp API"]);
    expect(await search([onShop], shop)).toEqual(["PROJECT / Lamp shop"]);
    expect(await search([], "lamp")).toEqual([]);
  });

  test("finds nothing of a removed organization", async () => {
    const gone = await fixture.addOrganization();
    expect(await search(onInstance, gone)).toHaveLength(1);
    await fixture.record({
      type: "organization.removed",
      aggregateId: gone,
      resourceOwner: gone,
      payload: {},
    });
    expect(await search(onInstance, gone)).toEqual([]);
  });
});
