import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import { type OrganizationId } from "../../../src/kernel/base/ids.ts";
import { findAccess, type HeldRoles } from "../../../src/kernel/base/permission.ts";
import { accessTables, createCredentials } from "../../../src/identity/access/credentials.ts";
import { listHeldRoles } from "../../../src/identity/held-roles/repository.ts";
import {
  createOrganizationCommands,
  type OrganizationCommands,
} from "../../../src/identity/organizations/commands.ts";
import { callBy, instanceId, openSetup, type Setup } from "../memberships/setup.ts";
import { enterWith } from "../../support/no-access-tokens.ts";

let setup: Setup;
let commands: OrganizationCommands;

beforeEach(async () => {
  setup = await openSetup();
  commands = createOrganizationCommands(setup.log.context, instanceId);
});

afterEach(() => setup.close());

/** A call on the organization, by its owner unless said otherwise. */
function callOn(organizationId: OrganizationId, ...held: readonly HeldRoles[]): Call {
  const own: HeldRoles = { scope: { kind: "organization", organizationId }, roles: ["ORGANIZATION_OWNER"] };
  const call = callBy(setup.home, ...(held.length === 0 ? [own] : held));
  const access = findAccess(call.caller.held, "organization.write", organizationId);
  if (access === undefined) throw new Error("the pipeline would have refused this call");
  return { ...call, access };
}

const instanceOwner: HeldRoles = { scope: { kind: "instance" }, roles: ["INSTANCE_OWNER"] };
const homeOwner = () => callOn(setup.home);
const byInstanceOwner = (organizationId: OrganizationId) => callOn(organizationId, instanceOwner);
/** Somebody else than the users of the test keeps the instance. */
const keepInstance = async () =>
  setup.give(await setup.addUser(setup.partner), setup.scopes.instance, "INSTANCE_OWNER");
const addOne = async (name: string) => (await commands.add(byInstanceOwner(setup.home), name)).id;
const events = async () => (await setup.log.events()).map(({ type }) => type);

const notFound = (id: string) => ({ reason: "NOT_FOUND", resource: { type: "organization", name: id } });

describe("get", () => {
  test("gives the organization of the call, whatever its state", async () => {
    expect(await commands.get(homeOwner())).toMatchObject({ id: setup.home, name: "Home", state: "ACTIVE" });
    await keepInstance();
    await commands.deactivate(homeOwner());
    expect(await commands.get(homeOwner())).toMatchObject({ state: "INACTIVE" });
  });
});

describe("update", () => {
  test("replaces the name, keeps the creation date, and frees the old name", async () => {
    const details = await commands.update(homeOwner(), "New home");
    expect(await commands.get(homeOwner())).toMatchObject({ name: "New home", details });
    expect(details.creationDate).toBeLessThan(details.sequence);
    expect(details.resourceOwner).toBe(setup.home);
    await expect(addOne("home")).resolves.toBeDefined();
  });

  test("that changes nothing records nothing and answers the stored details", async () => {
    const details = await commands.update(homeOwner(), "New home");
    const before = await events();
    expect(await commands.update(homeOwner(), "New home")).toEqual(details);
    expect(await events()).toEqual(before);
  });

  test("refuses a name that counts as that of another one, and lets its own differ in case", async () => {
    await expect(commands.update(homeOwner(), " PARTNER ")).rejects.toMatchObject({
      reason: "ALREADY_EXISTS",
      resource: { type: "organization", name: " PARTNER " },
    });
    await commands.update(homeOwner(), " HOME ");
    expect(await commands.get(homeOwner())).toMatchObject({ name: " HOME " });
  });
});

describe("deactivate and reactivate", () => {
  test("stop and start it, each recorded once", async () => {
    await keepInstance();
    const before = await events();
    const stopped = await commands.deactivate(homeOwner());
    expect(await commands.deactivate(homeOwner())).toEqual(stopped);
    const started = await commands.reactivate(homeOwner());
    expect(await commands.reactivate(homeOwner())).toEqual(started);
    expect(await events()).toEqual([...before, "organization.deactivated", "organization.reactivated"]);
    expect(started.sequence).toBeGreaterThan(stopped.sequence);
    expect(await commands.get(homeOwner())).toMatchObject({ state: "ACTIVE", details: started });
  });

  test("shut out all users of the organization at once, and let them in again with the tokens that they had", async () => {
    await keepInstance();
    const { text } = await setup.addToken({ userId: setup.userId, by: "system" });
    const { clock, database } = setup.log.context;
    const findCredentials = createCredentials({ database, clock }, database.watch(accessTables));
    const enter = () => enterWith({ clock, findCredentials }, `Bearer ${text}`);
    await expect(enter()).resolves.toMatchObject({ userId: setup.userId });
    await commands.deactivate(homeOwner());
    await expect(enter()).rejects.toMatchObject({ reason: "TOKEN_INVALID" });
    await commands.reactivate(homeOwner());
    await expect(enter()).resolves.toMatchObject({ userId: setup.userId });
  });

  test("leave an inactive organization to be administered", async () => {
    await keepInstance();
    await commands.deactivate(homeOwner());
    await commands.update(homeOwner(), "Quiet home");
    expect(await commands.get(homeOwner())).toMatchObject({ name: "Quiet home", state: "INACTIVE" });
  });
});

describe("remove", () => {
  test("leaves nothing, frees the name, and answers the sequence of the removal", async () => {
    await keepInstance();
    const id = await addOne("Short");
    await setup.give(setup.userId, { kind: "organization", organizationId: id }, "ORGANIZATION_OWNER");
    const { details } = await commands.remove(callOn(id));
    const last = (await setup.log.events()).at(-1);
    expect(last).toMatchObject({ type: "organization.removed", aggregate_id: id, resource_owner: id });
    expect(details).toMatchObject({ sequence: last?.sequence, resourceOwner: id });
    expect(details.creationDate).toBeLessThan(details.sequence);
    await expect(commands.get(callOn(id))).rejects.toMatchObject(notFound(id));
    await expect(commands.remove(callOn(id))).rejects.toMatchObject(notFound(id));
    expect(await setup.log.database.read((tx) => listHeldRoles(tx, setup.userId))).toEqual([]);
    await expect(addOne("SHORT")).resolves.not.toBe(id);
  });

  test("removes an inactive organization too", async () => {
    await keepInstance();
    const id = await addOne("Short");
    await commands.deactivate(callOn(id));
    await expect(commands.remove(callOn(id))).resolves.toBeDefined();
  });
});

describe.each(["deactivate", "reactivate", "remove"] as const)("%s", (action) => {
  test("is not held up by what its users hold elsewhere", async () => {
    await keepInstance();
    await setup.give(setup.userId, setup.scopes.partner, "ORGANIZATION_OWNER");
    await setup.give(await setup.addUser(setup.home), setup.scopes.instance, "INSTANCE_VIEWER");
    await expect(commands[action](homeOwner())).resolves.toBeDefined();
  });

  test("is refused where a user owns the instance, but to whom holds all of that role, naming what is missing", async () => {
    await keepInstance();
    await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_VIEWER", "INSTANCE_OWNER");
    const before = await events();
    const missing = { permission: "organization.create" };
    await expect(commands[action](homeOwner())).rejects.toMatchObject({
      reason: "PERMISSION_DENIED",
      metadata: missing,
    });
    const both: HeldRoles[] = [
      { scope: setup.scopes.home, roles: ["ORGANIZATION_OWNER"] },
      { scope: setup.scopes.instance, roles: ["INSTANCE_VIEWER"] },
    ];
    await expect(commands[action](callOn(setup.home, ...both))).rejects.toMatchObject({
      reason: "PERMISSION_DENIED",
      metadata: { ...missing, organization_id: instanceId },
    });
    expect(await events()).toEqual(before);
    await expect(commands[action](byInstanceOwner(setup.home))).resolves.toBeDefined();
  });

  test("is judged by what the caller holds inside of the write", async () => {
    await keepInstance();
    await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_OWNER");
    const lost: Call = { ...homeOwner(), confirm: () => Promise.resolve([]) };
    await expect(commands[action](lost)).rejects.toMatchObject({ reason: "PERMISSION_DENIED" });
  });
});

describe("the last active owner of the instance", () => {
  const lastOwner = { reason: "LAST_INSTANCE_OWNER" };

  test.each(["deactivate", "remove"] as const)("keeps their organization from %s", async (action) => {
    await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
    const before = await events();
    await expect(commands[action](byInstanceOwner(setup.home))).rejects.toMatchObject(lastOwner);
    expect(await events()).toEqual(before);
  });

  test("does so too when all others sit in organizations that are not active", async () => {
    await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
    await setup.give(setup.partnerUserId, setup.scopes.instance, "INSTANCE_OWNER");
    await commands.deactivate(byInstanceOwner(setup.partner));
    await expect(commands.deactivate(byInstanceOwner(setup.home))).rejects.toMatchObject(lastOwner);
    await commands.reactivate(byInstanceOwner(setup.partner));
    await expect(commands.deactivate(byInstanceOwner(setup.home))).resolves.toBeDefined();
  });

  test("does not keep an organization that is inactive already from being deactivated again", async () => {
    await keepInstance();
    await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
    const stopped = await commands.deactivate(byInstanceOwner(setup.home));
    expect(await commands.deactivate(byInstanceOwner(setup.home))).toEqual(stopped);
  });
});
