import type { Origin } from "../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { DirectoryError } from "../../kernel/base/directory/directory-error.ts";
import type { DirectoryConnection } from "../../kernel/base/directory/directory.ts";
import { type OrganizationId, toId, type UserId } from "../../kernel/base/ids.ts";
import type { FeatureContext } from "../context.ts";
import { holdsOutside } from "../held-roles/outside.ts";
import { listHeldRoles } from "../held-roles/repository.ts";
import { changeStateOf } from "../people/user/commands.ts";
import { findIdentityLink } from "../people/identity-links/repository.ts";
import { findUserById } from "../people/user/repository.ts";
import type { HumanUser, User } from "../people/user/user.ts";
import type { LdapConfig } from "../providers/ldap.ts";
import { listAskedAttributes, toPeopleFilter } from "./attributes.ts";
import type { DirectoryProvider } from "./check-password.ts";
import { findDirectorySecret } from "./directory-secret.ts";
import { readGroupDns } from "./find-person.ts";
import { type LinkedIdentityRow, listLinkedIdentities, listOrganizationOwners } from "./linked-repository.ts";
import { decideMembers, type DirectoryGroups, readDirectoryGroups, toGroupIds } from "./member-changes.ts";
import { type DirectoryPerson, readPerson } from "./person.ts";
import { inPortions, portionSize } from "./portions.ts";
import { decideProfile, type DirectoryProfile, isProfileCurrent } from "./profile-changes.ts";
import type { DirectoryServers } from "./servers.ts";

/** What a sync works with. */
export interface SyncPorts extends Pick<FeatureContext, "database" | "log" | "clock" | "keyring"> {
  readonly servers: DirectoryServers;
}

/** How a sync is done. */
export interface SyncOptions {
  /** Deactivates also more than a tenth of the users. */
  readonly isForced: boolean;
  /** Changes nothing, but counts. */
  readonly isDryRun: boolean;
  /** Ends it: what is changed by then stays. */
  readonly signal?: AbortSignal;
}

/** What a sync has found and done. */
export interface SyncResult {
  /** People in the directory. */
  readonly people: number;
  /** Users who are linked to an identity of the directory. */
  readonly linked: number;
  /** Users of whom the directory says something else. */
  readonly changed: number;
  /** Active users whom the directory does not let in any more. */
  readonly leavers: number;
  /** Leavers that stay, because they hold a role outside of the organization, or are its last owner. */
  readonly kept: number;
  /** Whether nothing was done, because too many would go. */
  readonly isStopped: boolean;
}

/** Of a whole sync. */
const limits = { timeoutMs: 600_000, maxBytes: 1_073_741_824 } as const;
/** More than one in so many do not go by themselves: more likely the directory shows a part of its people only. */
const leastPerLeaver = 10;
const origin: Origin = { editor: "system", remoteAddress: undefined, requestId: "directory-sync" };

/**
 * Makes users who are linked to a directory what it says of them: profile, groups, and whether they may log in. Nobody else is touched. A
 * user whom the directory does not let in any more is deactivated, which ends sessions and tokens; one that comes back is
 * reactivated by administrators. Raises a DirectoryError, and has done nothing then.
 */
export async function syncDirectory(
  ports: SyncPorts,
  provider: DirectoryProvider,
  { isForced, isDryRun, signal }: SyncOptions,
): Promise<SyncResult> {
  const groups = await ports.database.read((tx) => readDirectoryGroups(tx, provider.id));
  const linked = await readLinked(ports, provider);
  const told = await readDirectory(ports, { provider, linked, groups, signal });
  const plan = await makePlan(ports, { provider, linked, groups, people: told.people });
  const found = {
    people: told.count,
    linked: linked.size,
    changed: plan.changed.length,
    leavers: plan.leavers.length + plan.kept,
    kept: plan.kept,
  };
  const isStopped = !isForced && plan.leavers.length * leastPerLeaver > plan.active;
  if (isStopped || isDryRun) return { ...found, isStopped };
  for (const some of inPortions([...plan.changed, ...plan.leavers])) {
    if (signal?.aborted === true) throw new DirectoryError("unreachable", "given up");
    await ports.database.write((tx) => apply(ports, tx, { provider, groups, some }));
  }
  return { ...found, isStopped };
}

/** An identity, by what the directory calls it. */
type Linked = ReadonlyMap<string, LinkedIdentityRow>;

async function readLinked({ database }: SyncPorts, { id, config }: DirectoryProvider): Promise<Linked> {
  const linked = new Map<string, LinkedIdentityRow>();
  for (let after = ""; ; ) {
    const rows = await database.read((tx) =>
      listLinkedIdentities(tx, { idpId: id, after, limit: portionSize }),
    );
    for (const row of rows) if (row.issuer === config.issuer) linked.set(row.subject, row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < portionSize) return linked;
    after = last.subject;
  }
}

/** Reads all people, and keeps the linked ones. */
async function readDirectory(
  ports: SyncPorts,
  asked: {
    readonly provider: DirectoryProvider;
    readonly linked: Linked;
    readonly groups: DirectoryGroups;
    readonly signal: AbortSignal | undefined;
  },
): Promise<{ readonly count: number; readonly people: ReadonlyMap<string, DirectoryPerson> }> {
  const { provider, linked, groups, signal } = asked;
  const { config } = provider;
  const bindPassword = await ports.database.read((tx) => findDirectorySecret(ports, tx, config));
  return await ports.servers.ask(
    { config, bindPassword, limits: { ...limits, signal } },
    async (connection) => {
      const found = await readPeople(connection, { config, linked, nowMs: ports.clock.nowMs() });
      if (config.groupBaseDn === "" || groups.size === 0) return found;
      const people = new Map<string, DirectoryPerson>();
      for (const [subject, person] of found.people)
        people.set(subject, { ...person, groupDns: await readGroupDns(connection, config, person) });
      return { ...found, people };
    },
  );
}

async function readPeople(
  connection: DirectoryConnection,
  { config, linked, nowMs }: { readonly config: LdapConfig; readonly linked: Linked; readonly nowMs: number },
) {
  const people = new Map<string, DirectoryPerson>();
  let count = 0;
  const search = {
    base: config.baseDn,
    filter: toPeopleFilter(config),
    attributes: listAskedAttributes(config),
  };
  for await (const page of connection.pages(search)) {
    count += page.length;
    for (const entry of page) {
      const person = readPerson(config, entry, nowMs);
      if (person !== undefined && linked.has(person.subject)) people.set(person.subject, person);
    }
  }
  return { count, people };
}

/** Somebody of whom the directory says something; undefined: it does not let them in. */
interface Told {
  readonly userId: UserId;
  readonly subject: string;
  readonly person: DirectoryPerson | undefined;
}

interface Plan {
  readonly changed: readonly Told[];
  readonly leavers: readonly Told[];
  readonly kept: number;
  /** Linked users who are active. */
  readonly active: number;
}

async function makePlan(
  { database }: SyncPorts,
  asked: {
    readonly provider: DirectoryProvider;
    readonly linked: Linked;
    readonly groups: DirectoryGroups;
    readonly people: ReadonlyMap<string, DirectoryPerson>;
  },
): Promise<Plan> {
  const { provider, linked, groups, people } = asked;
  const told = [...linked.values()].map(({ userId, subject }): Told => {
    const person = people.get(subject);
    return { userId, subject, person: person?.isEnabled === true ? person : undefined };
  });
  const plan = { changed: [] as Told[], leavers: [] as Told[], kept: 0, active: 0 };
  for (const some of inPortions(told))
    await database.read(async (tx) => {
      const users = await readUsers(tx, some);
      const active = some.filter(({ userId }) => users.get(userId)?.state === "ACTIVE");
      plan.active += active.length;
      const present = active.filter(({ person }) => person !== undefined);
      plan.changed.push(...(await findChanged(tx, { provider, groups, users, present })));
      for (const each of active.filter(({ person }) => person === undefined))
        if (await isKept(tx, users.get(each.userId))) plan.kept += 1;
        else plan.leavers.push(each);
    });
  return await keepLastOwner(database, provider, plan);
}

async function findChanged(
  tx: ReadTransaction,
  asked: {
    readonly provider: DirectoryProvider;
    readonly groups: DirectoryGroups;
    readonly users: ReadonlyMap<string, User>;
    readonly present: readonly Told[];
  },
): Promise<readonly Told[]> {
  const { provider, groups, users, present } = asked;
  const inGroups = present.map(({ userId, person }) => toPersonInGroups(groups, userId, person));
  const moved = new Set<string>();
  for (const { payload } of await decideMembers(tx, groups, inGroups))
    for (const userId of "user_ids" in payload ? payload.user_ids : []) moved.add(userId);
  const changed: Told[] = [];
  for (const each of present) {
    const user = users.get(each.userId);
    if (user?.kind !== "human" || each.person === undefined) continue;
    const isCurrent = isProfileCurrent(user, toProfile(provider.config, each.person));
    if (moved.has(each.userId) || (!isCurrent && !(await isOutsider(tx, user)))) changed.push(each);
  }
  return changed;
}

async function readUsers(tx: ReadTransaction, some: readonly Told[]): Promise<ReadonlyMap<string, User>> {
  const users = new Map<string, User>();
  for (const { userId } of some) {
    const user = await findUserById(tx, userId);
    if (user !== undefined) users.set(userId, user);
  }
  return users;
}

async function isKept(tx: ReadTransaction, user: User | undefined): Promise<boolean> {
  return user?.kind !== "human" || (await isOutsider(tx, user));
}

async function isOutsider(tx: ReadTransaction, { id, details }: HumanUser): Promise<boolean> {
  return holdsOutside(await listHeldRoles(tx, id), toId<OrganizationId>(details.resourceOwner));
}

/** If all owners of the organization would go, the oldest of them stays. */
async function keepLastOwner(
  database: SyncPorts["database"],
  { details }: DirectoryProvider,
  plan: Plan,
): Promise<Plan> {
  const owners = await database.read((tx) => listOrganizationOwners(tx, details.resourceOwner));
  const leaving = new Set<string>(plan.leavers.map(({ userId }) => userId));
  const [oldest] = owners;
  if (oldest === undefined || !owners.every((id) => leaving.has(id))) return plan;
  const leavers = plan.leavers.filter(({ userId }) => userId !== oldest);
  return { ...plan, leavers, kept: plan.kept + 1 };
}

/** Decides again by what is stored now: links, roles and states may have changed meanwhile. */
async function apply(
  { log }: SyncPorts,
  tx: WriteTransaction,
  {
    provider,
    groups,
    some,
  }: {
    readonly provider: DirectoryProvider;
    readonly groups: DirectoryGroups;
    readonly some: readonly Told[];
  },
): Promise<void> {
  for (const { userId, subject, person } of some) {
    const link = await findLinked(tx, provider, subject);
    const user = link?.userId === userId ? await findUserById(tx, userId) : undefined;
    if (user?.kind !== "human" || user.state !== "ACTIVE") continue;
    const events =
      person === undefined
        ? await decideLeave(tx, user)
        : [
            ...(await decideProfile(tx, user, toProfile(provider.config, person))),
            ...(await decideMembers(tx, groups, [toPersonInGroups(groups, userId, person)])),
          ];
    if (events.length > 0) await log.append(tx, origin, events);
  }
}

async function findLinked(tx: ReadTransaction, { id, config }: DirectoryProvider, subject: string) {
  const link = await findIdentityLink(tx, id, subject);
  return link?.issuer === config.issuer ? link : undefined;
}

async function decideLeave(tx: WriteTransaction, user: HumanUser) {
  if (await isOutsider(tx, user)) return [];
  const owners = await listOrganizationOwners(tx, user.details.resourceOwner);
  return owners.length === 1 && owners[0] === user.id ? [] : await changeStateOf(tx, user, "deactivate");
}

function toPersonInGroups(groups: DirectoryGroups, userId: string, person: DirectoryPerson | undefined) {
  return { userId, groupIds: toGroupIds(groups, person?.groupDns) };
}

function toProfile({ trustMail: isEmailTrusted }: LdapConfig, person: DirectoryPerson): DirectoryProfile {
  return { ...person, isEmailTrusted };
}
