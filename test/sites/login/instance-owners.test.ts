import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type ApplicationId,
  type InstanceId,
  type MembershipId,
  type OrganizationId,
  toId,
} from "../../../src/kernel/base/ids.ts";
import type { Role } from "../../../src/kernel/base/permission.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { putInstanceId } from "../../../src/identity/instance/repository.ts";
import { makeSetupLink } from "../../../src/identity/instance/setup-link.ts";
import type { LoginPolicy } from "../../../src/identity/policies/login-policy.ts";
import { findLoginPolicy } from "../../../src/identity/policies/repository.ts";
import { addMembership } from "../../../src/identity/memberships/membership.ts";
import { findHumanByUsername } from "../../../src/identity/people/user/repository.ts";
import { done, password, type Person, startLoginStage } from "./support/login-stage.ts";

const instanceId = toId<InstanceId>("1");
const onlyProviders = { allowPassword: false, allowPasskeys: false, allowExternalIdps: true };
const own = "a password of my own";

let home: OrganizationId;
let person: Person;
const stage = await startLoginStage();
await stage.fixture.database.write((tx) => putInstanceId(tx, instanceId));
afterAll(() => stage.stop());
beforeEach(async () => {
  home = await stage.addOrganization();
  person = await stage.addPerson(home);
});

/** Of no organization: that of the instance decides what they offer, as for the console. */
const account = () => stage.path({ protocol: "account", applicationId: undefined, scopes: [] });
const nextId = () => stage.fixture.context.ids.next();
const stateOf = async ({ username }: Person) =>
  (await stage.fixture.database.read((tx) => findHumanByUsername(tx, username)))?.state;

async function give(role: Role) {
  const id = toId<MembershipId>(nextId());
  const scope = { kind: "instance" } as const;
  await stage.fixture.record(
    addMembership({ id, userId: person.id, scope, roles: [role], resourceOwner: instanceId }),
  );
}

async function logIn(path = account(), typed = password) {
  const browser = stage.browser();
  const page = await (await browser.open(path)).submit({ username: person.username, password: typed });
  return { browser, page };
}

async function addForeignApplication(settings: Partial<LoginPolicy>): Promise<ApplicationId> {
  const owner = await stage.addOrganizationWith(settings);
  return (await stage.addApplication(owner)).application;
}

describe("a holder of a role on the instance", () => {
  test("logs in by the policy of the instance, whatever that of the organization says", async () => {
    await stage.setPolicy(home, onlyProviders);
    const refused = await logIn();
    expect([refused.page.title, refused.page.location]).toEqual(["Sign in", undefined]);
    await give("INSTANCE_VIEWER");
    expect((await logIn()).page.location).toBe(done);
  });

  test("is kept to it where that of the organization allows more", async () => {
    await stage.setPolicy(instanceId, { allowPassword: false });
    await stage.setPolicy(home, {});
    const { application } = await stage.addApplication(home);
    expect((await logIn(stage.path({ applicationId: application }))).page.location).toBe(done);
    await give("INSTANCE_VIEWER");
    const { page } = await logIn(stage.path({ applicationId: application }));
    expect([page.title, page.location]).toEqual(["Sign in", undefined]);
    await stage.setPolicy(instanceId, {});
  });

  test("brings a login of the instance to the application of an organization that allows no passwords", async () => {
    const application = await addForeignApplication(onlyProviders);
    const others = await logIn();
    const page = await others.browser.open(stage.path({ applicationId: application }));
    expect(page.title).toBe("Sign in");
    await give("INSTANCE_OWNER");
    const { browser } = await logIn();
    expect((await browser.open(stage.path({ applicationId: application }))).title).toContain("Continue to");
  });

  test("has the session times and the second factors of the instance", async () => {
    await stage.setPolicy(home, { forceMfa: true, sessionLifetimeSeconds: 300 });
    expect((await logIn()).page.title).toBe("Add a security key");
    await give("INSTANCE_VIEWER");
    const { browser, page } = await logIn();
    expect(page.location).toBe(done);
    stage.fixture.clock.turn(301_000);
    expect((await browser.open(account())).location).toBe(done);
  });
});

describe("wrong passwords", () => {
  test("make an INSTANCE_OWNER wait, and lock nobody who is one", async () => {
    await stage.setPolicy(instanceId, { maxPasswordAttempts: 1 });
    await stage.setPolicy(home, { maxPasswordAttempts: 1 });
    await give("INSTANCE_OWNER");
    const another = person;
    person = await stage.addPerson(home);
    await give("INSTANCE_OWNER");
    for (const each of [another, person]) {
      person = each;
      for (let count = 0; count < 5; count += 1) await logIn(account(), "wrong");
      expect(await stateOf(each)).toBe("ACTIVE");
      expect((await logIn()).page.status).toBe(429);
    }
    stage.fixture.clock.turn(1001);
    expect((await logIn()).page.location).toBe(done);
    await stage.setPolicy(instanceId, {});
  });

  test("lock others who hold a role on the instance as its policy says", async () => {
    await stage.setPolicy(instanceId, { maxPasswordAttempts: 2 });
    await give("INSTANCE_VIEWER");
    await logIn(account(), "wrong");
    expect(await stateOf(person)).toBe("ACTIVE");
    await logIn(account(), "wrong");
    expect(await stateOf(person)).toBe("LOCKED");
    await stage.setPolicy(instanceId, {});
  });
});

describe("the link of an administrator", () => {
  const makeLink = () =>
    makeSetupLink({
      issuer: stage.issuer,
      keyring: stage.fixture.context.keyring,
      random: systemRandom,
      nowMs: stage.fixture.clock.nowMs(),
    }).reveal();
  const profile = () => {
    const username = `admin-${nextId()}`;
    return { username, given_name: "Ada", family_name: "Lovelace", email: `${username}@example.com` };
  };
  async function signUp() {
    const page = await stage.browser().open(makeLink());
    const typed = profile();
    const end = await page.submit({ ...typed, password: own, repeated: own });
    return { page, end, typed };
  }
  async function comeBack({ username }: { readonly username: string }) {
    const page = await stage.browser().open(account());
    return await page.submit({ username, password: own });
  }

  test("leads to somebody who logs in again although the organization allows no passwords", async () => {
    const organization = await stage.addOrganization("Default");
    await stage.setPolicy(organization, { ...onlyProviders, minPasswordLength: 72 });
    const { page, end, typed } = await signUp();
    expect(page.text).toContain("At least 10 characters");
    expect(page.text).not.toContain("passwords are allowed again");
    expect(end.path).toBe("/login/setup/factor");
    expect((await comeBack(typed)).location).toBe(done);
  });

  test("allows passwords again where the policy of the instance does not, and says so", async () => {
    await stage.setPolicy(instanceId, { ...onlyProviders, maxPasswordAttempts: 7 });
    const { page, typed } = await signUp();
    expect(page.text).toContain("passwords are allowed again");
    expect((await comeBack(typed)).location).toBe(done);
    const policy = await stage.fixture.database.read((tx) => findLoginPolicy(tx, instanceId));
    expect(policy).toMatchObject({ ...onlyProviders, allowPassword: true, maxPasswordAttempts: 7 });
    await stage.setPolicy(instanceId, {});
  });
});
