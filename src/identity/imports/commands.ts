import type { Call, WriteUnit } from "../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import {
  type IdentityLinkId,
  type OrganizationId,
  type SecondFactorId,
  toId,
  type UserGrantId,
  type UserId,
} from "../../kernel/base/ids.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { FeatureContext } from "../context.ts";
import { putTotpSecret } from "../factors/totp/repository.ts";
import { createMemberCommands } from "../group-service/member-commands.ts";
import { putPasswordHash } from "../people/passwords/repository.ts";
import { isUsernameTaken } from "../people/user/login-name-repository.ts";
import { findProjectOwner } from "../projects/repository.ts";
import { listRoleKeys } from "../projects/role-repository.ts";
import type { IdentityProvider } from "../providers/identity-provider.ts";
import { getIdentityProvider } from "../providers/repository.ts";
import { findGrantSource } from "../user-grants/grant-source.ts";
import { type GrantSource, requireGrantSource } from "../user-grants/user-grant.ts";
import { type ImportedUser, importUser } from "./imported-user.ts";
import { findHomes, findImported, listGivenIds, nextUserIds, noteImported } from "./repository.ts";

/** What becomes of a user of another system. */
export type Fate =
  | { readonly kind: "new" }
  /** A former run has added them. They stay as they are. */
  | { readonly kind: "present"; readonly id: string }
  /** A former run has added them, and they were removed since. */
  | { readonly kind: "removed" }
  /** A former run has added them to another organization. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "username-taken" }
  | { readonly kind: "id-taken" };

/** Where users come from, and where they go. */
export interface ImportTarget {
  /** Names the other system. */
  readonly source: string;
  readonly organizationId: OrganizationId;
}

/**
 * Returns the call by which an import gives orders to the commands of features: the operator at the place may do everything. Its writes
 * are part of `tx`.
 */
export function toImportCall(organizationId: OrganizationId, tx: WriteTransaction): Call {
  const unit: WriteUnit = {
    // A Problem that work returns is for calls that count tries, of which there are none.
    write: async <T>(_: unknown, work: (inner: WriteTransaction) => Promise<T>) =>
      (await work(tx)) as Exclude<T, Error>,
    read: (fn) => fn(tx),
  };
  return {
    requestId: "import",
    remoteAddress: undefined,
    caller: {
      userId: toId<UserId>("system"),
      organizationId,
      tokenId: undefined,
      tokenExpirationMs: undefined,
      isLimited: false,
      held: [{ scope: { kind: "instance" }, roles: ["INSTANCE_OWNER"] }],
    },
    access: { organizationId, projects: "all", projectGrants: "all" },
    deadlineMs: undefined,
    signal: undefined,
    unit,
  };
}

/** Finds out what would become of the users, in their order. They have different old ids and usernames. */
export async function findFates(
  tx: ReadTransaction,
  { source, organizationId }: ImportTarget,
  users: readonly Pick<ImportedUser, "oldId" | "profile">[],
): Promise<readonly Fate[]> {
  const oldIds = users.map(({ oldId }) => oldId);
  const imported = await findImported(tx, { source, kind: "user", oldIds });
  const homes = await findHomes(tx, [...imported.values()]);
  const given = await listGivenIds(tx, oldIds);
  const fates: Fate[] = [];
  for (const { oldId, profile } of users) {
    const id = imported.get(oldId);
    if (id !== undefined) fates.push(fateOfImported(id, { home: homes.get(id), organizationId }));
    else if (given.has(oldId)) fates.push({ kind: "id-taken" });
    else fates.push({ kind: (await isUsernameTaken(tx, profile.username)) ? "username-taken" : "new" });
  }
  return fates;
}

function fateOfImported(
  id: string,
  { home, organizationId }: { readonly home: string | undefined; readonly organizationId: string },
): Fate {
  if (home === undefined) return { kind: "removed" };
  return home === organizationId ? { kind: "present", id } : { kind: "elsewhere" };
}

/**
 * Adds those of the users who are new, all in `tx`, and returns what became of each. Harmless to repeat. Raises NOT_FOUND for a project,
 * a role or a group that is not there any more, LIMIT_REACHED for a group.
 */
export async function importUsers(
  context: FeatureContext,
  tx: WriteTransaction,
  { target, users }: { readonly target: ImportTarget; readonly users: readonly ImportedUser[] },
): Promise<readonly Fate[]> {
  const fates = await findFates(tx, target, users);
  const fresh = users.filter((_, index) => fates[index]?.kind === "new");
  const call = toImportCall(target.organizationId, tx);
  const sourceOf = await findSources(tx, call, fresh);
  const providerOf = await findProviders(tx, target, fresh);
  const drawn = await nextUserIds(tx, fresh.length, new Set(users.map(({ oldId }) => oldId)));
  const added = fresh.map((user, index) => {
    const id = drawn[index];
    if (id === undefined) throw new Error("an id was drawn for every user");
    const grants = user.grants.map(() => tx.nextId<UserGrantId>());
    const links = user.links.map(() => tx.nextId<IdentityLinkId>());
    const securityKeys = user.securityKeys.map(() => tx.nextId<SecondFactorId>());
    return { user, ids: { user: id, totp: tx.nextId<SecondFactorId>(), securityKeys, grants, links } };
  });
  const events = added.flatMap(({ user, ids }): readonly NewEvent[] => {
    const sources = user.grants.map(({ projectId }) => sourceOf(projectId));
    const providers = user.links.map(({ providerId }) => providerOf(providerId));
    return importUser(user, { ids, organizationId: target.organizationId, sources, providers });
  });
  if (events.length === 0) return fates;
  const origin = { editor: "system", remoteAddress: undefined, requestId: call.requestId } as const;
  await context.log.append(tx, origin, events);
  for (const { user, ids } of added) {
    await noteImported(tx, { ...target, kind: "user", oldId: user.oldId }, ids.user);
    if (user.passwordHash !== undefined) await putPasswordHash(tx, ids.user, user.passwordHash);
    if (user.totpSecret !== undefined)
      await putTotpSecret(tx, context.personalData, {
        userId: ids.user,
        id: ids.totp,
        secret: user.totpSecret,
      });
  }
  await addToGroups(context, call, added);
  return fates;
}

async function addToGroups(
  context: FeatureContext,
  call: Call,
  added: readonly { readonly user: ImportedUser; readonly ids: { readonly user: UserId } }[],
): Promise<void> {
  const members = added.flatMap(({ user, ids }) =>
    user.groupIds.map((groupId) => ({ groupId, userId: ids.user })),
  );
  const commands = createMemberCommands(context);
  for (const [groupId, ofGroup] of Map.groupBy(members, (member) => member.groupId))
    await commands.add(call, groupId, { userIds: ofGroup.map(({ userId }) => userId), groupIds: [] });
}

/** Raises NOT_FOUND. */
async function findProviders(
  tx: ReadTransaction,
  { organizationId }: ImportTarget,
  users: readonly ImportedUser[],
): Promise<(providerId: string) => IdentityProvider> {
  const ids = new Set(users.flatMap(({ links }) => links.map(({ providerId }) => providerId)));
  const found = new Map<string, IdentityProvider>();
  for (const id of ids) found.set(id, await getIdentityProvider(tx, organizationId, id));
  return (id) => {
    const provider = found.get(id);
    if (provider === undefined) throw new Error("every provider of a link was looked for");
    return provider;
  };
}

/** Finds what the grants of the users rest on. Raises NOT_FOUND. */
async function findSources(
  tx: ReadTransaction,
  { access }: Call,
  users: readonly ImportedUser[],
): Promise<(projectId: string) => GrantSource> {
  const asked = Map.groupBy(
    users.flatMap(({ grants }) => grants),
    ({ projectId }) => projectId,
  );
  const found = new Map<string, GrantSource>();
  for (const [projectId, grants] of asked) {
    const keys = [...new Set(grants.flatMap(({ roleKeys }) => roleKeys))];
    const roleKeys = await listRoleKeys(tx, toId(projectId), keys);
    const projectOwner = await findProjectOwner(tx, projectId);
    const { organizationId } = access;
    const source = await findGrantSource(tx, { projectOwner, roleKeys }, { organizationId, projectId });
    const projectGrantId = source?.kind === "granted" ? source.grant.id : "";
    found.set(projectId, requireGrantSource({ access, source, projectId, projectGrantId }));
  }
  return (projectId) => {
    const source = found.get(projectId);
    if (source === undefined) throw new Error("every project of a grant was looked for");
    return source;
  };
}
