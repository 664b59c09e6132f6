import { randomBytes } from "node:crypto";
import type { WriteTransaction } from "../../../src/kernel/base/database.ts";
import {
  type MembershipId,
  type OrganizationId,
  type ProjectId,
  type TokenId,
  toId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import { type Random, systemRandom } from "../../../src/kernel/base/random.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { putSecret } from "../../../src/kernel/events/secret-store.ts";
import { addMembership } from "../../../src/identity/memberships/membership.ts";
import { addToken } from "../../../src/identity/programs/tokens/token.ts";
import { addHumanUser } from "../../../src/identity/people/user/user.ts";
import { openInstallation } from "../../../src/app/installation.ts";
import { writePrivateFile } from "../../../src/kernel/storage/data-folder.ts";
import { roleKey } from "../speed/calls.ts";
import type { Stock } from "../speed/load.ts";
import { grantIdAt, insertGrants, nextDate } from "./grants.ts";
import { projectPayload, rolePayload } from "../../support/samples.ts";
import { type TestContext, withIds } from "../../support/ids.ts";

export interface Size {
  readonly users: number;
  readonly grants: number;
}

/** Every tenth user owns a project, and of these so many have a token, evenly spread. */
const maxCallers = 1000;
const usersPerOwner = 10;
/** The grants that are there are for the first half of them, those that are added for the other. */
const projectCount = 1000;
/** How many users and grants the calls are about, evenly spread. */
const sampleSize = 20_000;
const batchSize = 2000;

/**
 * Makes an instance with so many users and grants, each user with the same number of them, and returns what calls can be about.
 * Events, tables, keys and indexes are those that calls would have made, from an address that is not known: all but the grants
 * goes through the decisions and the log of the service, with many commands in one transaction.
 */
export async function fill(path: string, { users, grants }: Size): Promise<Stock> {
  const made = await openInstallation({ dataFolder: path }, { isNewAllowed: true });
  await made.instance.create((token) => writePrivateFile(made.folder.adminToken, `${token.reveal()}\n`));
  await made.close();
  const file = made.folder.database;
  const { editorId, organizationId, userIds, projectIds, callers } = await fillByCommands(path, users);
  const firstDate = nextDate(file);
  const granted = projectIds.slice(0, projectCount / 2);
  insertGrants(file, { count: grants, userIds, projectIds: granted, organizationId, editorId });
  const everyNth = Math.ceil(grants / sampleSize);
  const names = Array.from({ length: Math.floor(grants / everyNth) }, (_each, index) => ({
    userId: userIds[(index * everyNth) % userIds.length] ?? "",
    grantId: grantIdAt(firstDate, index * everyNth),
  }));
  return {
    userIds: sampleOf(userIds, 0),
    listedUserIds: sampleOf(userIds, 1),
    projectIds: projectIds.slice(projectCount / 2),
    grants: names,
    callers,
  };
}

async function fillByCommands(path: string, users: number) {
  const installation = await openInstallation(
    { dataFolder: path },
    { isNewAllowed: false, random: createPooledRandom() },
  );
  const context = withIds(installation.context);
  const { editorId, organizationId } = await findFirst(context);
  const log: Log = { context, organizationId, editorId };
  const projectIds: ProjectId[] = [];
  await append(log, projectCount, (index) => {
    const id = context.ids.next<ProjectId>();
    projectIds.push(id);
    return [addProject(id, organizationId, index), addRole(id, organizationId)];
  });
  const userIds: UserId[] = [];
  await append(log, users, (index) => {
    const id = context.ids.next<UserId>();
    userIds.push(id);
    return [addHumanUser(id, organizationId, profileOf(index))];
  });
  const callers = await addCallers(log, { userIds, projectIds });
  await installation.close();
  return { editorId, organizationId, userIds, projectIds, callers };
}

/** The system's randomness, fetched in larger pieces. */
function createPooledRandom(): Random {
  let pool = randomBytes(0);
  let used = 0;
  return {
    ...systemRandom,
    bytes(count) {
      if (used + count > pool.length) [pool, used] = [randomBytes(65_536), 0];
      used += count;
      return new Uint8Array(pool.subarray(used - count, used));
    },
  };
}

interface Log {
  readonly context: TestContext;
  readonly organizationId: OrganizationId;
  readonly editorId: UserId;
}

/** Appends the events of so many commands, each of them an instant of its own. */
async function append(
  { context, editorId }: Log,
  count: number,
  command: (index: number, tx: WriteTransaction) => readonly NewEvent[] | Promise<readonly NewEvent[]>,
): Promise<void> {
  for (let from = 0; from < count; from += batchSize)
    await context.database.write(async (tx) => {
      for (let index = from; index < Math.min(from + batchSize, count); index++) {
        const events = await command(index, tx);
        const requestId = Buffer.from(context.random.bytes(16)).toString("hex");
        await context.log.append(tx, { editor: editorId, remoteAddress: undefined, requestId }, events);
      }
    });
}

async function findFirst({ database }: TestContext) {
  const row = await database.read((tx) =>
    tx.get<{ id: string; resource_owner: string }>("SELECT id, resource_owner FROM users"),
  );
  if (row === undefined) throw new Error("the instance has no administrator");
  return { editorId: toId<UserId>(row.id), organizationId: toId<OrganizationId>(row.resource_owner) };
}

function projectNameOf(index: number): string {
  return `Project ${index}`;
}

function addProject(aggregateId: ProjectId, resourceOwner: OrganizationId, index: number): NewEvent {
  return {
    type: "project.added",
    aggregateId,
    resourceOwner,
    payload: projectPayload({ name: projectNameOf(index) }),
  };
}

function addRole(aggregateId: ProjectId, resourceOwner: OrganizationId): NewEvent {
  return { type: "project.role.added", aggregateId, resourceOwner, payload: rolePayload(roleKey) };
}

function profileOf(index: number) {
  return {
    username: `user-${index}`,
    givenName: "Ada",
    familyName: `Lovelace ${index}`,
    displayName: `Ada Lovelace ${index}`,
    preferredLanguage: "en",
    email: `user-${index}@example.com`,
    phone: "",
  };
}

/** Makes the owners of projects, and tokens for some of them. */
async function addCallers(
  log: Log,
  { userIds, projectIds }: { userIds: readonly UserId[]; projectIds: readonly ProjectId[] },
): Promise<NonNullable<Stock["callers"]>> {
  const { context, organizationId } = log;
  const owners = Math.ceil(userIds.length / usersPerOwner);
  const everyNth = Math.ceil(owners / maxCallers);
  const callers: { authorization: string; projectId: ProjectId; projectName: string }[] = [];
  await append(log, owners, async (index, tx) => {
    const userId = userIds[index * usersPerOwner];
    const projectIndex = index % projectIds.length;
    const projectId = projectIds[projectIndex];
    if (userId === undefined || projectId === undefined)
      throw new Error("there are no users, or no projects");
    const membership = addMembership({
      id: context.ids.next<MembershipId>(),
      userId,
      scope: { kind: "project", projectId, organizationId },
      roles: ["PROJECT_OWNER"],
      resourceOwner: organizationId,
    });
    if (index % everyNth !== 0) return [membership];
    const made = addToken({
      id: context.ids.next<TokenId>(),
      userId,
      organizationId,
      random: context.random,
    });
    await putSecret(tx, made.secretId, { keyId: "", value: made.hash });
    const projectName = projectNameOf(projectIndex);
    callers.push({ authorization: `Bearer ${made.token.reveal()}`, projectId, projectName });
    return [membership, made.event];
  });
  return callers;
}

/** Returns every so-manieth; samples of the two sides have nothing in common. */
function sampleOf<T>(all: readonly T[], side: 0 | 1): readonly T[] {
  const everyNth = Math.max(2, Math.ceil(all.length / sampleSize));
  return all.filter((_each, index) => index % everyNth === side);
}
