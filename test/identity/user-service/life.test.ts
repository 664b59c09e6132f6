import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type OrganizationId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { HeldRoles } from "../../../src/kernel/base/permission.ts";
import { accessTables, createCredentials } from "../../../src/identity/access/credentials.ts";
import { addOrganization } from "../../../src/identity/organizations/organization.ts";
import type { HumanUpdate, UserAction } from "../../../src/identity/people/user/user.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { outcomeOf, problemOf } from "../../support/problems.ts";
import { humanUpdate, serviceProfile } from "../../support/samples.ts";
import { enterWith } from "../../support/no-access-tokens.ts";

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.close());

const get = (id: string) => fixture.commands.get(fixture.call(), id);
const managed = (): readonly HeldRoles[] => [
  {
    scope: { kind: "organization", organizationId: fixture.organizationId },
    roles: ["ORGANIZATION_USER_MANAGER"],
  },
];
/** A call of somebody who manages users and holds nothing else. */
const asManager = () => fixture.call({ userId: toId("5"), tokenId: toId("6"), held: managed() });

const profile = humanUpdate();
const update = (id: string, changes: Partial<HumanUpdate> = {}) =>
  fixture.commands.updateHuman(fixture.call(), id, humanUpdate(changes));
const addService = async (username = "bot") =>
  (await fixture.commands.addService(fixture.call(), serviceProfile({ username }))).id;

describe("an update of a human user", () => {
  test("replaces everything but the phone, and moves their details", async () => {
    const id = await fixture.addHuman("ada", "+41791234567");
    const before = await get(id);
    const change = {
      username: "augusta",
      givenName: "Augusta",
      familyName: "King",
      displayName: "Countess",
      preferredLanguage: "de-CH",
      email: "augusta@example.com",
    };
    const details = await update(id, change);
    const after = await get(id);
    expect(after).toEqual({ ...before, ...change, details });
    expect(details.creationDate).toBe(before.details.creationDate);
    expect(details.sequence).toBeGreaterThan(before.details.sequence);
  });

  test("that changes nothing answers the stored details and records nothing", async () => {
    const id = await fixture.addHuman();
    const before = await get(id);
    const count = await fixture.eventCount();
    expect(await update(id)).toEqual(before.details);
    expect(await fixture.eventCount()).toBe(count);
  });

  test("keeps a verified email that is the same, and takes another one as unverified", async () => {
    const id = await fixture.addHuman();
    await fixture.context.database.write((tx) => tx.run("UPDATE stored_users SET is_email_verified = 1"));
    await update(id, { givenName: "Augusta" });
    expect(await get(id)).toMatchObject({ isEmailVerified: true });
    await update(id, { email: "other@example.com" });
    expect(await get(id)).toMatchObject({ isEmailVerified: false });
  });

  test("to a username that folds to that of somebody else is refused; to one that folds to their own is not", async () => {
    const id = await fixture.addHuman();
    await addService("Bot");
    const problem = await problemOf(update(id, { username: " bOT " }));
    expect([problem.reason, problem.resource]).toEqual(["ALREADY_EXISTS", { type: "user", name: " bOT " }]);
    expect(await outcomeOf(update(id, { username: "ADA" }))).toBe("ok");
    expect(await get(id)).toMatchObject({ username: "ADA" });
  });

  test("frees their username of before", async () => {
    const id = await fixture.addHuman();
    await update(id, { username: "augusta" });
    expect(await outcomeOf(fixture.addHuman("ada"))).toBe("ok");
  });

  test("of a service user is refused, and so the other way round", async () => {
    expect(await outcomeOf(update(await addService()))).toBe("WRONG_KIND");
    const human = await fixture.addHuman();
    const service = serviceProfile({ username: "bot2" });
    expect(await outcomeOf(fixture.commands.updateService(fixture.call(), human, service))).toBe(
      "WRONG_KIND",
    );
  });

  test("of an inactive user is made", async () => {
    const id = await fixture.addHuman();
    await fixture.commands.changeState(fixture.call(), id, "deactivate");
    expect(await outcomeOf(update(id, { givenName: "Augusta" }))).toBe("ok");
  });
});

test("an update of a service user replaces everything", async () => {
  const id = await addService();
  const change = serviceProfile({ username: "worker", name: "Worker" });
  const details = await fixture.commands.updateService(fixture.call(), id, change);
  expect(await get(id)).toMatchObject({ ...change, details });
  const count = await fixture.eventCount();
  expect(await fixture.commands.updateService(fixture.call(), id, change)).toEqual(details);
  expect(await fixture.eventCount()).toBe(count);
});

describe("a user who holds more than the caller", () => {
  let id: UserId;
  beforeEach(async () => {
    id = await fixture.addHuman();
    await fixture.addRole(id, "ORGANIZATION_OWNER");
  });
  const updateAsManager = (changes: Partial<HumanUpdate>) =>
    fixture.commands.updateHuman(asManager(), id, humanUpdate(changes));

  test.each([{ username: "augusta" }, { email: "mine@example.com" }])("keeps %j", async (change) => {
    const problem = await problemOf(updateAsManager(change));
    expect([problem.kind, problem.reason, problem.metadata]).toEqual([
      "denied",
      "PERMISSION_DENIED",
      { permission: "organization.write" }, // and not of which organization: a user manager reads no memberships
    ]);
    expect(await get(id)).toMatchObject({ username: "ada", email: "ada@example.com" });
  });

  test("can be given another name", async () => {
    expect(await outcomeOf(updateAsManager({ givenName: "Augusta" }))).toBe("ok");
  });

  test("keeps a username that is taken: who lacks the permission does not learn of it", async () => {
    await addService("bot");
    expect((await problemOf(updateAsManager({ username: "bot" }))).reason).toBe("PERMISSION_DENIED");
  });

  test("is the caller themselves: they may", async () => {
    const owner: HeldRoles = {
      scope: { kind: "organization", organizationId: fixture.organizationId },
      roles: ["ORGANIZATION_OWNER"],
    };
    const own = fixture.call({ userId: id, tokenId: toId("6"), held: [owner] });
    expect(await outcomeOf(fixture.commands.updateHuman(own, id, humanUpdate({ username: "renamed" })))).toBe(
      "ok",
    );
  });

  test("of a kind that is no person keeps its username too", async () => {
    const bot = await addService();
    await fixture.addRole(bot, "INSTANCE_VIEWER");
    const service = serviceProfile({ username: "worker" });
    const problem = await problemOf(fixture.commands.updateService(asManager(), bot, service));
    expect(problem.reason).toBe("PERMISSION_DENIED");
  });
});

describe("the state of a user", () => {
  const changeState = (id: string, action: UserAction) =>
    fixture.commands.changeState(fixture.call(), id, action);

  test("is changed, read back, and made again by a rebuild", async () => {
    const id = await fixture.addHuman();
    for (const [action, state] of [
      ["lock", "LOCKED"],
      ["unlock", "ACTIVE"],
      ["deactivate", "INACTIVE"],
      ["reactivate", "ACTIVE"],
      ["lock", "LOCKED"],
      ["deactivate", "INACTIVE"],
    ] as const) {
      const details = await changeState(id, action);
      expect(await get(id)).toMatchObject({ state, details });
    }
    const before = await get(id);
    await fixture.rebuild();
    expect(await get(id)).toEqual(before);
  });

  test("that is the same again answers the stored details and records nothing", async () => {
    const id = await fixture.addHuman();
    const { details } = await get(id);
    const count = await fixture.eventCount();
    expect(await changeState(id, "unlock")).toEqual(details);
    expect(await changeState(id, "reactivate")).toEqual(details);
    expect(await fixture.eventCount()).toBe(count);
  });

  test("from which there is no way is a conflict that names it", async () => {
    const id = await fixture.addHuman();
    await changeState(id, "deactivate");
    const problem = await problemOf(changeState(id, "unlock"));
    expect([problem.kind, problem.reason, problem.metadata["state"]]).toEqual([
      "precondition",
      "STATE_CONFLICT",
      "INACTIVE",
    ]);
  });

  test.each(["lock", "deactivate"] as const)("after %s lets none of their tokens in", async (action) => {
    const id = await fixture.addHuman();
    const { token } = await fixture.commands.tokens.add(fixture.call(), {
      userId: id,
      expirationMs: undefined,
    });
    const { clock, database } = fixture.context;
    const findCredentials = createCredentials({ database, clock }, database.watch(accessTables));
    const enter = () => outcomeOf(enterWith({ clock, findCredentials }, `Bearer ${token.reveal()}`));
    expect(await enter()).toBe("ok");
    await changeState(id, action);
    expect(await enter()).toBe("TOKEN_INVALID");
    await changeState(id, action === "lock" ? "unlock" : "reactivate");
    expect(await enter()).toBe("ok");
  });
});

describe("the last active user with INSTANCE_OWNER", () => {
  const acts = {
    lock: (id: string) => fixture.commands.changeState(fixture.call(), id, "lock"),
    deactivate: (id: string) => fixture.commands.changeState(fixture.call(), id, "deactivate"),
    remove: (id: string) => fixture.commands.remove(fixture.call(), id),
  };

  test.each(["lock", "deactivate", "remove"] as const)("can be lost by no %s", async (act) => {
    const { userId } = fixture.administrator;
    expect(await outcomeOf(acts[act](userId))).toBe("LAST_INSTANCE_OWNER");
    expect(await get(userId)).toMatchObject({ state: "ACTIVE" });
  });

  test("is one of several until the others are locked", async () => {
    const other = await fixture.addHuman();
    await fixture.addRole(other, "INSTANCE_OWNER");
    await acts.lock(other);
    expect(await outcomeOf(acts.lock(fixture.administrator.userId))).toBe("LAST_INSTANCE_OWNER");
    await fixture.commands.changeState(fixture.call(), other, "unlock");
    expect(await outcomeOf(acts.lock(fixture.administrator.userId))).toBe("ok");
    // They are not active any more, so nothing is lost with them.
    expect(await outcomeOf(acts.deactivate(fixture.administrator.userId))).toBe("ok");
    expect(await outcomeOf(acts.lock(other))).toBe("LAST_INSTANCE_OWNER");
  });

  test("is nobody who holds another role", async () => {
    const id = await fixture.addHuman();
    await fixture.addRole(id, "INSTANCE_VIEWER");
    expect(await outcomeOf(acts.lock(id))).toBe("ok");
  });
});

describe("the list of users", () => {
  const none = { username: "", email: "", state: undefined };
  const page = { pageSize: 0, pageToken: "", countTotal: true };
  const list = async (filter: Partial<Parameters<Fixture["commands"]["list"]>[1]> = {}) => {
    const listed = await fixture.commands.list(fixture.call(), { ...none, ...filter }, page);
    return listed.page.items.map(({ username }) => username);
  };

  beforeEach(async () => {
    for (const username of ["ada", "Bea", "cy"]) await fixture.addHuman(username);
    await addService("dot");
  });

  test("shows everybody of the organization, oldest first, and nobody else", async () => {
    const other = fixture.context.ids.next<OrganizationId>();
    await fixture.record(addOrganization(other, "Other"));
    const elsewhere = { ...fixture.call(), access: { ...fixture.call().access, organizationId: other } };
    await fixture.commands.addService(elsewhere, serviceProfile({ username: "eve" }));
    expect(await list()).toEqual(["admin", "ada", "Bea", "cy", "dot"]);
    const there = await fixture.commands.list(elsewhere, none, page);
    expect(there.page.items.map(({ username }) => username)).toEqual(["eve"]);
    expect(there.page.totalResult).toBe(1);
  });

  test("filters by username as usernames are compared", async () => {
    expect(await list({ username: " bEA" })).toEqual(["Bea"]);
    expect(await list({ username: "be%" })).toEqual([]);
    expect(await list({ username: "admi_" })).toEqual([]);
  });

  test("filters by email whatever the case of its letters, and by state, and by all of them", async () => {
    const { items } = (await fixture.commands.list(fixture.call(), { ...none, username: "cy" }, page)).page;
    const id = items[0]?.id ?? "";
    await fixture.commands.updateHuman(fixture.call(), id, {
      ...profile,
      username: "cy",
      email: "Cy@Example.com",
    });
    await fixture.commands.changeState(fixture.call(), id, "lock");
    expect(await list({ email: "cY@eXAMPLE.COM" })).toEqual(["cy"]);
    expect(await list({ email: "ada@example.com" })).toEqual(["ada", "Bea"]);
    expect(await list({ state: "LOCKED" })).toEqual(["cy"]);
    expect(await list({ state: "INACTIVE" })).toEqual([]);
    expect(await list({ username: "cy", email: "cy@example.com", state: "LOCKED" })).toEqual(["cy"]);
    expect(await list({ username: "cy", email: "cy@example.com", state: "ACTIVE" })).toEqual([]);
  });
});
