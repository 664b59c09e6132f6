// Groups in the console, from the first to the last click.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { beforeAll, expect, test } from "@jest/globals";
import { ClaimMappingService } from "../../gen/gatehouse/v1/claim_mapping_service_pb.ts";
import { GroupService } from "../../gen/gatehouse/v1/group_service_pb.ts";
import { HookService } from "../../gen/gatehouse/v1/hook_service_pb.ts";
import { MetadataService } from "../../gen/gatehouse/v1/metadata_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { createGroup } from "../api/support/tenancy-groups.ts";
import { addPerson } from "../sites/login/support/people.ts";
import { createCaller, createOidcApplication, createProject, idOf } from "../support/world.ts";
import { type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();
let window: ConsoleWindow;
beforeAll(async () => {
  window = await stage().open("/");
});

const row = (name: string) => window.page.getByRole("row", { name });
const box = (name: string) => window.page.getByRole("checkbox", { name, exact: true });

test("a group is added, gets members and roles, and gives them until it is removed", async () => {
  const { service, organizationId } = stage();
  const call = createCaller(service, organizationId);
  const projectId = await createProject(service, organizationId, ["viewer", "editor"]);
  const person = await addPerson(service, organizationId);
  const held = async () =>
    (await call(UserGrantService.method.listEffectiveRoles, { userId: person.id }))["effectiveRoles"];
  await window.visit(`/orgs/${organizationId}/groups`);
  await window.page.getByText("No groups yet").waitFor();
  await window.button("Add group").first().click();
  await window.field("Name").fill("Sales");
  await window.button("Add group").click();
  await window.heading("Sales");
  await window.button("Add user").first().click();
  await window.field("User").fill(person.username);
  await window.page.getByText("Found:").waitFor();
  await window.dialog.button("Add user").click();
  await row("User").first().waitFor();
  const place = window.place();
  await window.visit(`${place}/grants`);
  await window.button("Give roles").first().click();
  await window.field("Project").selectOption(projectId);
  await box("editor").check();
  await window.dialog.button("Give roles").click();
  await row("editor Active").waitFor();
  expect(await held()).toMatchObject([{ roleKeys: ["editor"] }]);
  await window.visit(`/orgs/${organizationId}/users/${person.id}/user-grants`);
  await row("editor Sales").waitFor();
  service.clock.turn(2000);
  const now = new Date(service.clock.nowMs() - new Date(service.clock.nowMs()).getTimezoneOffset() * 60_000);
  await window.field("As of").fill(now.toISOString().slice(0, 19));
  await window.button("Show").click();
  await window.page.getByText("as they were on").waitFor();
  await row("editor Sales").waitFor();
  await window.visit(`/orgs/${organizationId}/users/${person.id}/groups`);
  await row("Sales").waitFor();
  const groupId = place.split("/").at(-1) ?? "";
  const endDate = timestampFromMs(Date.UTC(2001, 0, 1));
  await call(GroupService.method.addGroupMembers, { groupId, userIds: [person.id], endDate });
  await window.page.reload();
  await row("Sales").getByText("Ended: ").waitFor();
  await window.visit(`${place}/settings`);
  await window.page.getByLabel("Description").fill("All of sales");
  await window.button("Save").click();
  await window.notice("The group was saved.");
  await window.button("Remove group").click();
  await window.dialog.button("Remove").waitFor();
  expect(await window.page.getByRole("dialog").textContent()).toContain("1 group grant");
  await window.dialog.button("Remove").click();
  await window.page.getByText("No groups yet").waitFor();
  expect(await held()).toEqual([]);
});

test("a key is set at a group, changed and removed; a value that is no text is shown in Base64", async () => {
  const { service, organizationId } = stage();
  const groupId = await createGroup(service, organizationId);
  const value = Uint8Array.of(0, 255);
  await createCaller(service, organizationId)(MetadataService.method.setGroupMetadata, {
    groupId,
    key: "raw",
    value,
  });
  await window.visit(`/orgs/${organizationId}/groups/${groupId}/metadata`);
  await row("raw Base64: AP8=").waitFor();
  await window.button("Set key").click();
  await window.field("Key").fill("cost-center");
  await window.page.getByRole("dialog").getByLabel("Value").fill("4711");
  await window.dialog.button("Set key").click();
  await row("cost-center 4711").waitFor();
  await window.button("Change cost-center").click();
  await window.page.getByRole("dialog").getByLabel("Value").fill("4712");
  await window.dialog.button("Save").click();
  await row("cost-center 4712").waitFor();
  await row("cost-center 4712").getByRole("checkbox").check();
  await window.button("Remove").click();
  await window.dialog.button("Remove").click();
  await row("cost-center 4712").waitFor({ state: "detached" });
  await row("raw").waitFor();
  expect(await row("raw").count()).toBe(1);
});

test("an organization shares metadata of its users with another one", async () => {
  const { service, organizationId } = stage();
  const added = await service.call(OrganizationService.method.addOrganization, { name: "Beside" });
  const other = idOf(added, "organizationId");
  await window.visit(`/orgs/${organizationId}/metadata`);
  const shared = window.page.locator("section", { hasText: "Shared metadata of users" });
  await shared.getByLabel("Keys").fill("cost-center");
  await shared.getByRole("button", { name: "Save" }).click();
  await shared.getByText("must not be empty").waitFor();
  await shared.getByLabel("Keys").fill(`cost-center  ${other}`);
  await shared.getByRole("button", { name: "Save" }).click();
  await window.page.getByText("What is shared was saved.").waitFor();
  const read = ClaimMappingService.method.getUserMetadataSharing;
  const { sharing } = await createCaller(service, organizationId)(read, { id: organizationId });
  expect(sharing).toMatchObject({ shared: [{ key: "cost-center", sharedWith: [other] }] });
});

test("a claim of an application is added, shown for a user, and removed", async () => {
  const { service, organizationId } = stage();
  const call = createCaller(service, organizationId);
  const projectId = await createProject(service, organizationId, ["viewer"]);
  const appId = await createOidcApplication(service, organizationId, projectId);
  const person = await addPerson(service, organizationId);
  const value = Buffer.from("4711");
  await call(MetadataService.method.setUserMetadata, { userId: person.id, key: "cost-center", value });
  await window.visit(`/orgs/${organizationId}/projects/${projectId}/applications/${appId}/claims`);
  await window.button("Add claim").first().click();
  await window.page.getByRole("dialog").getByLabel("Name").fill("cost_center");
  await window.page.getByRole("dialog").getByLabel("Key of the metadata").fill("cost-center");
  await window.dialog.button("Add claim").click();
  await row("cost_center User metadata").waitFor();
  await window.field("ID of the user").fill(person.id);
  await window.button("Show").click();
  await window.page.getByText('"cost_center": "4711"').first().waitFor();
  await window.field("Name of the claim optional").fill("sub");
  await window.button("Save").click();
  await window.page.getByText("is reserved").waitFor();
  await window.field("Name of the claim optional").fill("from_hooks");
  await window.button("Save").click();
  await window.page.getByText("The name was saved.").waitFor();
  await row("cost_center").getByRole("checkbox").check();
  await window.button("Remove").click();
  await window.page.getByText("No claims yet").waitFor();
  const { claimMappings } = await call(ClaimMappingService.method.getApplicationClaimMappings, {
    projectId,
    appId,
  });
  expect(claimMappings).toMatchObject({ mappings: [] });
  const { hookClaim } = await call(HookService.method.getHookClaim, { projectId, appId });
  expect(hookClaim).toMatchObject({ claim: "from_hooks" });
});
