import { afterAll, describe, expect, test } from "@jest/globals";
import {
  type MembershipId,
  type OrganizationId,
  type ProjectId,
  toId,
} from "../../../src/kernel/base/ids.ts";
import type { Role, Scope } from "../../../src/kernel/base/permission.ts";
import { addMembership } from "../../../src/identity/memberships/membership.ts";
import { addIdentityPlace, addLinkedPerson, arrive, type IdentityPlace } from "./support/identities.ts";
import { done, password, startLoginStage } from "./support/login-stage.ts";
import { giveKey } from "./support/security-key.ts";

const stage = await startLoginStage();
afterAll(() => stage.stop());

/** An organization, a project of it, and the organization of a user who holds roles there. */
type Other = Readonly<Record<"organizationId" | "home", OrganizationId>> & { readonly projectId: ProjectId };

const last = () => stage.ended.at(-1);
const addLinked = (place: IdentityPlace) => addLinkedPerson(stage, place);

async function giveRole(userId: string, organization: OrganizationId, role: Role) {
  const scope: Scope = role.startsWith("INSTANCE_")
    ? { kind: "instance" }
    : { kind: "organization", organizationId: organization };
  await giveRoleOn(userId, scope, role);
}

async function giveRoleOn(userId: string, scope: Scope, role: Role) {
  const id = toId<MembershipId>(stage.fixture.context.ids.next());
  const resourceOwner = scope.kind === "instance" ? "1" : scope.organizationId;
  await stage.fixture.record(
    addMembership({ id, userId: toId(userId), scope, roles: [role], resourceOwner }),
  );
}

/** A role for each kind of scope. */
const roleOn = {
  instance: "INSTANCE_VIEWER",
  organization: "ORGANIZATION_VIEWER",
  project: "PROJECT_VIEWER",
  "project-grant": "PROJECT_GRANT_OWNER",
} as const;

describe("an identity that is linked to a user", () => {
  test("is not enough for a user with a role on the instance, who may log in in another way", async () => {
    const place = await addIdentityPlace(stage);
    const { person, identity } = await addLinked(place);
    await giveRole(person.id, place.organization, "INSTANCE_VIEWER");
    const count = stage.ended.length;
    const { page } = await arrive(stage, place, identity);
    expect([page.status, page.title]).toEqual([403, "This is not enough to sign in"]);
    expect(stage.ended).toHaveLength(count);
    const begun = await page.submit();
    expect(begun.title).toBe("Sign in");
    const end = await begun.submit({ username: person.username, password });
    expect([end.location, last()?.methods]).toEqual([done, ["PASSWORD"]]);
  });

  test.each<[string, (other: Other) => Promise<Scope>]>([
    ["another organization", async ({ organizationId }) => ({ kind: "organization", organizationId })],
    [
      "a project of another organization",
      async ({ organizationId, projectId }) => ({ kind: "project", projectId, organizationId }),
    ],
    [
      "a project grant of another organization",
      async ({ organizationId, home }) => {
        const project = await stage.fixture.addProject(home);
        const projectGrantId = await stage.fixture.addProjectGrant(project, home, organizationId);
        return { kind: "project-grant", projectGrantId, organizationId };
      },
    ],
  ])("is not enough for a user with a role on %s", async (_name, scopeOf) => {
    const place = await addIdentityPlace(stage);
    const { person, identity } = await addLinked(place);
    const organizationId = await stage.addOrganization();
    const projectId = await stage.fixture.addProject(organizationId);
    const scope = await scopeOf({ organizationId, projectId, home: place.organization });
    await giveRoleOn(person.id, scope, roleOn[scope.kind]);
    const count = stage.ended.length;
    const { page } = await arrive(stage, place, identity);
    expect([page.status, page.title]).toEqual([403, "This is not enough to sign in"]);
    expect(stage.ended).toHaveLength(count);
    const begun = await page.submit();
    expect((await begun.submit({ username: person.username, password })).location).toBe(done);
  });

  test("is enough for a user with roles on projects of the organization, and on grants to it", async () => {
    const place = await addIdentityPlace(stage);
    const { person, identity } = await addLinked(place);
    const { organization: organizationId } = place;
    const projectId = await stage.fixture.addProject(organizationId);
    const other = await stage.addOrganization();
    const foreign = await stage.fixture.addProject(other);
    const projectGrantId = await stage.fixture.addProjectGrant(foreign, other, organizationId);
    await giveRoleOn(person.id, { kind: "project", projectId, organizationId }, "PROJECT_OWNER");
    const onGrant = { kind: "project-grant", projectGrantId, organizationId } as const;
    await giveRoleOn(person.id, onGrant, "PROJECT_GRANT_OWNER");
    expect((await arrive(stage, place, identity)).page.location).toBe(done);
  });

  test("is not enough any more once the organization of the user allows no providers, for the session neither", async () => {
    const place = await addIdentityPlace(stage, { policy: {} });
    const { identity, person } = await addLinked(place);
    const { browser, page } = await arrive(stage, place, identity);
    expect(page.location).toBe(done);
    const elsewhere = { applicationId: stage.application };
    expect((await browser.open(stage.path(elsewhere))).title).toContain("Continue to");
    await stage.setPolicy(place.organization, { allowExternalIdps: false });
    const asked = await browser.open(stage.path(elsewhere));
    expect(asked.title).toBe("Sign in");
    expect((await asked.submit({ username: person.username, password })).title).toContain("Continue to");
  });

  test("with a second factor of ours is enough for a user with a role on the instance", async () => {
    const place = await addIdentityPlace(stage);
    const { person, identity } = await addLinked(place);
    await giveRole(person.id, place.organization, "INSTANCE_VIEWER");
    const key = await giveKey(stage, person);
    const { page } = await arrive(stage, place, identity);
    expect((await page.submit({ credential: key.answer(page) })).location).toBe(done);
  });

  test("is enough for a role in the organization, but never lets a user in who would have to register a factor first", async () => {
    const place = await addIdentityPlace(stage, { policy: { forceMfa: true } });
    const { person, identity } = await addLinked(place);
    await giveRole(person.id, place.organization, "ORGANIZATION_OWNER");
    expect((await arrive(stage, place, identity)).page.title).toBe("Add a security key");
    await giveRole(person.id, place.organization, "INSTANCE_VIEWER");
    expect((await arrive(stage, place, identity)).page.title).toBe("This is not enough to sign in");
  });
});
