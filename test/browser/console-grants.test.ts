// Grants of projects, user grants and memberships in the console, from the first to the last click.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { addOrganization, addPerson, type ServicePerson } from "../sites/login/support/people.ts";
import { createCaller, createProject, idOf, membershipIdOf } from "../support/world.ts";
import { facesOf, type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();
let window: ConsoleWindow;
beforeAll(async () => {
  window = await stage().open("/");
});

const row = (name: string) => window.page.getByRole("row", { name });
const box = (name: string) => window.page.getByRole("checkbox", { name, exact: true });

/** A project with roles, and an organization that it can be granted to. */
interface Ground {
  readonly projectId: string;
  readonly otherId: string;
  readonly otherName: string;
  call: ReturnType<typeof createCaller>;
  other: ReturnType<typeof createCaller>;
}

async function layGround(): Promise<Ground> {
  const { service, organizationId } = stage();
  const call = createCaller(service, organizationId);
  const projectId = await createProject(service, organizationId);
  for (const roleKey of ["viewer", "editor"])
    await call(ProjectService.method.addProjectRole, { projectId, roleKey });
  const otherId = await addOrganization(service, "Northern Rail");
  const otherName = await nameOf(otherId);
  return { projectId, otherId, otherName, call, other: createCaller(service, otherId) };
}

async function nameOf(organizationId: string): Promise<string> {
  await window.visit(`/orgs/${organizationId}`);
  const heading = window.page.locator("h1");
  await heading.waitFor();
  return (await heading.textContent()) ?? "";
}

describe("the grant of a project", () => {
  test("is made, changed, stopped, started and removed, with what rests on it", async () => {
    const { service, organizationId } = stage();
    const { projectId, otherId, otherName, other } = await layGround();
    await window.visit(`/orgs/${organizationId}/projects/${projectId}/grants`);
    await window.button("Grant project").click();
    await window.field("Organization").fill("nobody of this name");
    await window.button("Grant project").click();
    await window.page.getByText("Type its ID instead").waitFor();
    await window.field("Organization").fill(otherName.toUpperCase());
    await window.page.getByText(`Found: ${otherName}`).waitFor();
    await box("viewer").check();
    await box("editor").check();
    await window.button("Grant project").click();
    await window.heading(`Grant to ${otherName}`);
    const grantId = window.place().split("/").at(-1) ?? "";
    const guest = await addPerson(service, otherId);
    await other(UserGrantService.method.addUserGrant, {
      userId: guest.id,
      projectId,
      projectGrantId: grantId,
      roleKeys: ["viewer", "editor"],
    });
    await box("editor").uncheck();
    await window.page.getByText("Users lose what they got through this grant: editor").waitFor();
    await window.button("Save").click();
    await window.notice("The grant was saved.");
    await window.button("Deactivate").click();
    await window.dialog.button("Deactivate").click();
    await window.page.getByText("Nobody has a role through this grant").waitFor();
    await window.visit(`/orgs/${otherId}/granted-projects`);
    await row("viewer Inactive").waitFor();
    await window.visit(`/orgs/${organizationId}/projects/${projectId}/grants/${grantId}`);
    await window.button("Reactivate").click();
    await window.notice("The grant is active again.");
    await window.button("Deactivate").waitFor();
    await window.button("Remove").click();
    await window.dialog.button("Remove").waitFor();
    expect(await window.page.getByRole("dialog").textContent()).toContain("1 user grant");
    await window.dialog.button("Remove").click();
    await window.page.getByText("Not granted yet").waitFor();
  });
});

describe("a user grant", () => {
  test("is given, explained, changed and removed", async () => {
    const { service, organizationId } = stage();
    const { projectId, call } = await layGround();
    const person = await addPerson(service, organizationId);
    await window.visit(`/orgs/${organizationId}/projects/${projectId}/user-grants`);
    await window.button("Give roles to a user").first().click();
    await window.field("User").fill("nobody");
    await window.button("Give roles to a user").click();
    await window.page.getByText("There is no such user").waitFor();
    await window.field("User").fill(person.username);
    await box("viewer").check();
    await window.button("Give roles to a user").click();
    await window.page.getByText("The user holds these roles now: viewer.").waitFor();
    await box("editor").check();
    await window.button("Save").click();
    await window.page.getByText("The user holds these roles now: viewer, editor.").waitFor();
    await window.field("In effect from optional").fill("2099-01-02T03:04:06");
    await window.field("Ends optional").fill("2099-01-02T03:04:05");
    await window.button("Save").click();
    await window.page.getByText("The end must be after the start.").waitFor();
    await window.field("In effect from optional").fill("");
    await window.button("Save").click();
    await window.page.getByText(/^2 Jan 2099, 03:04:05 \(2099-01-0\d \d\d:\d\d:05 UTC\)$/).waitFor();
    await window.field("Ends optional").fill("2001-01-01T00:00:00");
    await window.button("Save").click();
    await window.page.getByText("Not active: This grant.").waitFor();
    await window.page.locator(".chain").getByText("Ended").waitFor();
    const endDate = timestampFromMs(service.clock.nowMs() + 10 * 86_400_000);
    const grantId = window.place().split("/").at(-1) ?? "";
    const roleKeys = ["viewer", "editor"];
    await call(UserGrantService.method.updateUserGrant, { userId: person.id, grantId, roleKeys, endDate });
    await window.visit(`/orgs/${organizationId}/overview`);
    await window.page.getByRole("heading", { name: "Ends within 30 days" }).waitFor();
    await window.page
      .getByText(/^roles of .+: ends on /)
      .first()
      .waitFor();
    await call(ProjectService.method.deactivateProject, { id: projectId });
    await window.visit(`/orgs/${organizationId}/user-grants/${person.id}/${grantId}`);
    await window.page.getByText("It gives the user nothing now. Not active: Project (").waitFor();
    await window.visit(`/orgs/${organizationId}/users/${person.id}/user-grants`);
    await row("viewer, editor Active No").waitFor();
    await window.page.getByText("This user holds no role that you may see.").waitFor();
    for (const place of [
      `users/${person.id}/user-grants`,
      `user-grants/${person.id}/${grantId}`,
      "user-grants",
    ]) {
      await window.visit(`/orgs/${organizationId}/${place}`);
      await window.page.getByRole("button", { name: "Why?" }).first().click();
      await window.heading("viewer");
      await window.page.getByText("Activate: Project: ").first().waitFor();
      await window.dialog.button("Close").click();
    }
    await window.visit(`/orgs/${organizationId}/users/${person.id}/user-grants`);
    await call(ProjectService.method.reactivateProject, { id: projectId });
    await window.page.reload();
    await row("viewer, editor Active Yes").waitFor();
    await window.visit(`/orgs/${organizationId}/user-grants/${person.id}/${grantId}`);
    await window.button("Deactivate").click();
    await window.page.getByText("Not active: This grant.").waitFor();
    await window.button("Remove").click();
    await window.dialog.button("Remove").click();
    await window.heading("User grants");
    expect(window.complaints).toEqual([]);
  });

  test("is given to several users at once, after a look at what will happen, and taken from them", async () => {
    const { service, organizationId } = stage();
    const { projectId, call } = await layGround();
    const people: ServicePerson[] = [];
    for (let index = 0; index < 3; index += 1) people.push(await addPerson(service, organizationId));
    const [first, second, third] = people.map(({ username }) => username);
    await call(UserGrantService.method.addUserGrant, {
      userId: people[0]?.id ?? "",
      projectId,
      roleKeys: ["viewer"],
    });
    await call(UserGrantService.method.addUserGrant, {
      userId: people[1]?.id ?? "",
      projectId,
      roleKeys: ["editor", "viewer"],
    });
    await window.visit(`/orgs/${organizationId}/user-grants/several?project=${projectId}`);
    await box("editor").check();
    await window.button("Check").click();
    await window.page.getByText("Name at least one user.").waitFor();
    await window.field("Users").fill([first, "", ` ${second ?? ""}`, third, third, "nobody"].join("\n"));
    await window.button("Check").click();
    await row(`(${first ?? ""}) Gets editor in addition`).waitFor();
    await row(`(${third ?? ""}) Gets editor`).waitFor();
    await row("Has the roles already").waitFor();
    await row("nobody Not found").waitFor();
    await window.button("Give the roles to 2 users").click();
    await window.page.getByText("2 done, 0 not done.").waitFor();
    expect(await row("Done").count()).toBe(2);
    await window.visit(`/orgs/${organizationId}/user-grants?project=${projectId}&role=editor`);
    await window.page.getByText("3 in total").waitFor();
    await window.page.getByLabel("Select all on this page").check();
    await window.button("Remove").click();
    await window.dialog.button("Remove").click();
    await window.notice("3 user grants were removed.");
    await window.page.getByText("Nothing fits these filters.").waitFor();
  });

  test("for a granted project names the project grant that stands in the way", async () => {
    const { service } = stage();
    const { projectId, otherId, call, other } = await layGround();
    const added = await call(ProjectService.method.addProjectGrant, {
      projectId,
      grantedOrganizationId: otherId,
      roleKeys: ["viewer"],
    });
    const grantId = idOf(added, "grantId");
    const guest = await addPerson(service, otherId);
    await window.visit(`/orgs/${otherId}/granted-projects/${projectId}/${grantId}/user-grants`);
    await window.button("Give roles to a user").click();
    await window.field("User").fill(guest.username);
    await box("viewer").check();
    expect(await box("editor").count()).toBe(0);
    await window.button("Give roles to a user").click();
    await window.page.getByText("The user holds these roles now: viewer.").waitFor();
    await call(ProjectService.method.deactivateProjectGrant, { projectId, grantId });
    await window.page.reload();
    await window.page.getByText("Not active: Project grant to the organization").waitFor();
    // Administrators of the other organization see less, and learn that something stands in the way.
    const manager = await addPerson(service, otherId);
    await other(MembershipService.method.addMembership, {
      userId: manager.id,
      scope: { case: "organizationId", value: otherId },
      roles: ["ORGANIZATION_OWNER"],
    });
    await call(ProjectService.method.reactivateProjectGrant, { projectId, grantId });
    await call(ProjectService.method.deactivateProject, { id: projectId });
    const theirs = await stage().open(window.place(), { person: manager });
    await theirs.page.getByText("something else is not: Project (").waitFor();
    await theirs.expectAccessible();
  });
});

test("users who are selected in their list can be given roles", async () => {
  const { service, organizationId } = stage();
  const person = await addPerson(service, organizationId);
  await window.visit(`/orgs/${organizationId}/users?username=${person.username}`);
  await window.page.getByLabel("Select Ada Lovelace").check();
  await window.button("Give roles").click();
  await window.heading("Give roles to several users");
  expect(await window.field("Users").inputValue()).toBe(person.id);
});

describe("a membership", () => {
  test("is given, changed and removed", async () => {
    const { service, organizationId } = stage();
    const person = await addPerson(service, organizationId);
    await window.visit(`/orgs/${organizationId}/memberships`);
    await window.button("Add membership").click();
    await window.dialog.field("User").fill(person.username);
    await window.page.getByText(/^Found: Ada Lovelace/).waitFor();
    await window.dialog.button("Add membership").click();
    await window.page.getByText("This is required.").waitFor();
    await window.page.getByRole("checkbox", { name: "Manager of users" }).check();
    await window.expectAccessible();
    await window.dialog.button("Add membership").click();
    await row(`(${person.username}) Manager of users`).waitFor();
    const name = `Ada Lovelace (${person.username})`;
    await window.button(`Change roles of ${name}`).click();
    await window.page.getByRole("checkbox", { name: "Viewer Reads" }).check();
    await window.dialog.button("Save").click();
    await window.page.getByText("Manager of users, Viewer").waitFor();
    await row(`${name} Manager of users, Viewer`).getByRole("button", { name: "Why?" }).click();
    await window.heading("Manager of users, which allows user.credential.write");
    await window.heading("Viewer, which allows policy.read");
    await window.page
      .getByText(/^Membership: /)
      .first()
      .waitFor();
    await window.expectAccessible();
    await window.dialog.button("Close").click();
    await window.visit(`/orgs/${organizationId}/users/${person.id}/memberships`);
    await row("Organization Lamp Works").waitFor();
    await window.button("Add membership").click();
    const where = window.dialog.field("Where");
    await where.waitFor();
    await where.selectOption({ label: "The whole installation" });
    await window.page.getByRole("checkbox", { name: "Viewer of the installation" }).check();
    await window.dialog.button("Add membership").click();
    await row("The whole installation").waitFor();
    await window.button(`Remove membership of ${name}`).first().click();
    await window.dialog.button("Remove").click();
    await window.page.getByText("1 in total").waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("that somebody else has changed shows both versions", async () => {
    const { service, organizationId, addMember } = stage();
    const person = await addMember(["ORGANIZATION_VIEWER"]);
    const membershipId = await membershipIdOf(service, person.id);
    await window.visit(`/orgs/${organizationId}/users/${person.id}/memberships`);
    await window.button(`Change roles of Ada Lovelace (${person.username})`).click();
    await window.page.getByRole("checkbox", { name: "Manager of users" }).check();
    const roles = ["ORGANIZATION_PROJECT_MANAGER"];
    await service.call(MembershipService.method.updateMembership, { membershipId, roles });
    await window.dialog.button("Save").click();
    await window.heading("Somebody else has changed this");
    await window.button("Take the stored ones").click();
    await window.button("Take the stored ones").waitFor({ state: "detached" });
    expect(await window.page.getByRole("checkbox", { name: "Manager of projects" }).isChecked()).toBe(true);
  });

  test("can be given by whoever owns a single project, on that project only", async () => {
    const { service, organizationId } = stage();
    const { projectId, call } = await layGround();
    const person = await addPerson(service, organizationId);
    await call(MembershipService.method.addMembership, {
      userId: person.id,
      scope: { case: "projectId", value: projectId },
      roles: ["PROJECT_OWNER"],
    });
    const theirs = await stage().open(`/orgs/${organizationId}/projects/${projectId}/memberships`, {
      person,
    });
    await theirs.button("Add membership").click();
    await theirs.page.getByRole("checkbox", { name: "Owner of the project" }).waitFor();
    await theirs.visit(`/orgs/${organizationId}/memberships`);
    await theirs.page.getByText("No memberships yet").waitFor();
    expect(await theirs.button("Add membership").count()).toBe(0);
  });
});

describe.each(facesOf("light"))("every page, $face", ({ options }) => {
  test("has no serious findings of axe-core and fits into the window", async () => {
    const { service, organizationId } = stage();
    const { projectId, otherId, call, other } = await layGround();
    const person = await addPerson(service, otherId);
    const granted = { projectId, grantedOrganizationId: otherId, roleKeys: ["viewer"] };
    const grantId = idOf(await call(ProjectService.method.addProjectGrant, granted), "grantId");
    const given = { userId: person.id, projectId, projectGrantId: grantId, roleKeys: ["viewer"] };
    const userGrantId = idOf(await other(UserGrantService.method.addUserGrant, given), "userGrantId");
    await other(MembershipService.method.addMembership, {
      userId: person.id,
      scope: { case: "projectGrantId", value: grantId },
      roles: ["PROJECT_GRANT_OWNER"],
    });
    const project = `/orgs/${organizationId}/projects/${projectId}`;
    const theirs = `/orgs/${otherId}`;
    const paths = [
      "/memberships",
      `${project}/memberships`,
      `${project}/grants`,
      `${project}/grants/new`,
      `${project}/grants/${grantId}`,
      `${project}/user-grants`,
      `${theirs}/granted-projects`,
      `${theirs}/granted-projects/${projectId}/${grantId}`,
      `${theirs}/granted-projects/${projectId}/${grantId}/memberships`,
      `${theirs}/granted-projects/${projectId}/${grantId}/user-grants`,
      `${theirs}/memberships`,
      `${theirs}/user-grants`,
      `${theirs}/user-grants/new?project=${projectId}&user=${person.id}`,
      `${theirs}/user-grants/several?project=${projectId}`,
      `${theirs}/user-grants/${person.id}/${userGrantId}`,
      `${theirs}/users/${person.id}/memberships`,
      `${theirs}/users/${person.id}/user-grants`,
    ];
    const face = await stage().open("/", options);
    await face.expectAllAccessible(paths);
    expect(face.complaints).toEqual([]);
  });
});
