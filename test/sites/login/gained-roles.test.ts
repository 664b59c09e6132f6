import { afterAll, describe, expect, test } from "@jest/globals";
import { type InstanceId, type OrganizationId, toId } from "../../../src/kernel/base/ids.ts";
import type { Role } from "../../../src/kernel/base/permission.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import type { ScopeName } from "../../../src/identity/memberships/membership.ts";
import { microsFrom } from "../../support/instants.ts";
import { callAs } from "../../support/feature-fixture.ts";
import { giveAppOn } from "./support/app-owner.ts";
import { addIdentityPlace, addLinkedPerson, arrive } from "./support/identities.ts";
import { done, logIn, type Person, startLoginStage } from "./support/login-stage.ts";
import { makeSecurityKey } from "./support/security-key.ts";

// Roles that a user gains while somebody logs in as them.

const stage = await startLoginStage();
afterAll(() => stage.stop());

const instanceId = toId<InstanceId>("1");
const now = () => stage.fixture.clock.nowMs();

const memberships = () => createMembershipCommands(stage.fixture.context, instanceId);
const owner = () =>
  callAs(stage.owner, { held: [{ scope: { kind: "instance" }, roles: ["INSTANCE_OWNER"] }] });

async function give({ id: userId }: Pick<Person, "id">, roles: readonly Role[], scope: ScopeName) {
  return await memberships().add(owner(), { userId, scope, roles });
}
const onInstance: ScopeName = { kind: "instance" };
const onOrganization = (organizationId: OrganizationId): ScopeName => ({
  kind: "organization",
  id: organizationId,
});

describe("a login in which the first factor was proved before", () => {
  /** A person who has typed the password and is asked for a code. */
  async function begin() {
    const person = await stage.addPerson(stage.owner);
    const { code } = await giveAppOn(stage, person, stage.owner);
    const page = await logIn(stage, stage.browser(), person);
    expect(page.title).toBe("Enter your code");
    return { person, page, submit: () => page.submit({ code: code(now()) }) };
  }

  test.each<[string, Role, () => ScopeName]>([
    ["the instance", "INSTANCE_VIEWER", () => onInstance],
    ["an organization", "ORGANIZATION_VIEWER", () => onOrganization(stage.owner)],
  ])("does not end once its user has gained a role on %s", async (_name, role, scope) => {
    const { person, submit } = await begin();
    const ended = stage.ended.length;
    await give(person, [role], scope());
    const { status, title } = await submit();
    expect([status, title, stage.ended.length]).toEqual([400, "Please begin again", ended]);
  });

  test("goes on if its user keeps or loses roles, and does not if there is another one", async () => {
    const first = await begin();
    const [kept, other] = ["ORGANIZATION_VIEWER", "ORGANIZATION_USER_MANAGER"] as const;
    const { id } = await give(first.person, [kept, other], onOrganization(stage.owner));
    const page = await logIn(stage, stage.browser(), first.person);
    expect(page.title).toBe("Enter your code");
    await memberships().update(owner(), id, { roles: [kept] });
    expect((await page.submit({ code: "000000" })).title).toBe("Enter your code");
    await memberships().update(owner(), id, { roles: [kept, other] });
    expect((await page.submit({ code: "000000" })).title).toBe("Please begin again");
  });
});

describe("a login, when a role gets other dates", () => {
  test("goes on with an earlier end or another start, and does not with a later end, or with a role that begins later", async () => {
    const roles = ["ORGANIZATION_VIEWER"] as const;
    const at = (ms: number) => microsFrom(stage.fixture.clock, ms * 1000);
    const person = await stage.addPerson(stage.owner);
    await giveAppOn(stage, person, stage.owner);
    const first = { userId: person.id, scope: onOrganization(stage.owner), roles, endDate: at(1_000_000) };
    const { id } = await memberships().add(owner(), first);
    const page = await logIn(stage, stage.browser(), person);
    await memberships().update(owner(), id, { roles, startDate: at(500), endDate: at(999_999) });
    expect((await page.submit({ code: "000000" })).title).toBe("Enter your code");
    await memberships().update(owner(), id, { roles, endDate: at(1_000_001) });
    expect((await page.submit({ code: "000000" })).title).toBe("Please begin again");
    const again = await logIn(stage, stage.browser(), person);
    expect(again.title).toBe("Enter your code");
    await memberships().add(owner(), {
      userId: person.id,
      scope: onInstance,
      roles: ["INSTANCE_VIEWER"],
      startDate: at(1e6),
    });
    expect((await again.submit({ code: "000000" })).title).toBe("Please begin again");
  });
});

describe("a login at an identity provider, of a user with a role on the instance", () => {
  /** Somebody with a key that whoever runs the provider may have registered. */
  async function addQuestioned() {
    const place = await addIdentityPlace(stage);
    const { person, identity } = await addLinkedPerson(stage, place);
    const [key, own] = [makeSecurityKey(stage), makeSecurityKey(stage)];
    for (const each of [key, own])
      await stage.fixture.record(...each.registered(person.id, place.organization, "login.example"));
    await give(person, ["INSTANCE_VIEWER"], onInstance);
    const about = { aggregateId: person.id, resourceOwner: place.organization };
    await stage.fixture.record({ ...about, type: "user.u2f.questioned", payload: { u2f_id: key.id } });
    return { key, own, begin: async () => (await arrive(stage, place, identity)).page };
  }

  test("is not enough with a factor that the user is still to decide about, which nobody is asked about then", async () => {
    const { key, begin } = await addQuestioned();
    const page = await begin();
    const refused = await page.submit({ credential: key.answer(page) });
    expect([refused.status, refused.title]).toEqual([403, "This is not enough to sign in"]);
  });

  test("is enough with another factor, and then asks about the first", async () => {
    const { key, own, begin } = await addQuestioned();
    const page = await begin();
    const review = await page.submit({ credential: own.answer(page) });
    expect(review.title).toBe("Are these yours?");
    expect((await review.submit({ [`factor-${key.id}`]: "keep" })).location).toBe(done);
    const again = await begin();
    expect((await again.submit({ credential: key.answer(again) })).location).toBe(done);
  });
});
