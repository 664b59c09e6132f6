import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction, SqlValue, WriteTransaction } from "../../../kernel/base/database.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { foldName } from "../../../kernel/base/names/folding.ts";
import type { OrganizationId, UserId } from "../../../kernel/base/ids.ts";
import { holdsOnOrganization } from "../../../kernel/base/permission.ts";
import { type LoginNameKind, loginNameKinds } from "../../policies/login-policy.ts";
import { findObstacles } from "./imported-id-repository.ts";
import { findHumanByUsername, findUserById, isUsernameOfOther } from "./repository.ts";
import { type HumanUser, type User, usernameTaken, usernameUnusable } from "./user.ts";
import { type LoginName, toEmail, toPhone } from "./login-name.ts";

/** A user, and what the name may be that led there: the policy of the user allows one of them, or the user is not let in. */
export interface NamedUser {
  readonly user: HumanUser;
  readonly kinds: readonly LoginNameKind[];
}

/**
 * Finds the user that a name means: the one with that username, in any state; else the only ACTIVE one who has verified it as
 * email address or phone in the organization that logs in; else the only ACTIVE one of the instance who has entered a code that was
 * sent to it. Undefined when it means nobody, or could mean several.
 */
export async function findNamedUser(tx: ReadTransaction, asked: LoginName): Promise<NamedUser | undefined> {
  const found: { readonly kind: LoginNameKind; readonly user: HumanUser }[] = [];
  for (const kind of loginNameKinds.filter((each) => asked.kinds.includes(each))) {
    const user = await finders[kind](tx, asked);
    if (user !== undefined) found.push({ kind, user });
  }
  const user = found[0]?.user;
  return user && { user, kinds: found.filter((each) => each.user.id === user.id).map(({ kind }) => kind) };
}

/** Lists the kinds of names that mean the user wherever they are typed. */
export async function listNamesOf(tx: ReadTransaction, userId: UserId): Promise<readonly LoginNameKind[]> {
  const user = await findUserById(tx, userId);
  if (user?.kind !== "human") return [];
  const isFound = async (kind: "EMAIL" | "PHONE", value: string) =>
    value !== "" && (await finders[kind](tx, { name: value, organizationId: undefined }))?.id === userId;
  return [
    "USERNAME",
    ...((await isFound("EMAIL", user.email)) ? (["EMAIL"] as const) : []),
    ...((await isFound("PHONE", user.phone)) ? (["PHONE"] as const) : []),
  ];
}

/** Says whether the user has entered a code that was sent to the email address that they have. */
export async function isEmailProved(tx: ReadTransaction, userId: UserId): Promise<boolean> {
  const sql = "SELECT 1 FROM stored_users WHERE id = ? AND lower(email) = proved_email";
  return (await tx.get(sql, [userId])) !== undefined;
}

/**
 * Says whether others would notice that somebody gets the username: another user has it already, or is found by it, because they
 * have entered a code that was sent to that address. `user`: the user who gets it; a username that they have is free for them.
 */
export async function isUsernameTaken(tx: ReadTransaction, username: string, user?: User): Promise<boolean> {
  return (await isUsernameOfOther(tx, username, user)) || (await listProvers(tx, username, user)).length > 0;
}

/**
 * Raises ALREADY_EXISTS for a username that another user has, or is found by and the caller may read. Raises FIELD_INVALID if another
 * user is found by it whom the caller may not know of.
 */
export async function requireFreeUsername(
  tx: ReadTransaction,
  call: Call,
  { username, user }: { readonly username: string; readonly user: User },
): Promise<void> {
  if (await isUsernameOfOther(tx, username, user)) throw usernameTaken(username);
  await requireNoProver(tx, call, { username, user });
}

/**
 * Decides to add a user, under an id that nobody has or had in another system. Raises what `decide` raises, and what
 * `requireFreeUsername` raises.
 */
export async function addUser(
  tx: WriteTransaction,
  call: Call,
  { username, decide }: { readonly username: string; readonly decide: (id: UserId) => NewEvent },
): Promise<{ readonly id: UserId; readonly added: NewEvent }> {
  for (;;) {
    const id = tx.nextId<UserId>();
    const added = decide(id);
    const { isUsernameTaken: isTaken, isIdTaken } = await findObstacles(tx, { id, username });
    if (isTaken) throw usernameTaken(username);
    if (isIdTaken) continue;
    await requireNoProver(tx, call, { username, user: undefined });
    return { id, added };
  }
}

async function requireNoProver(
  tx: ReadTransaction,
  { caller }: Call,
  { username, user }: { readonly username: string; readonly user: User | undefined },
): Promise<void> {
  const homes = await listProvers(tx, username, user);
  if (homes.some((home) => holdsOnOrganization(caller.held, "user.read", home)))
    throw usernameTaken(username);
  if (homes.length > 0) throw usernameUnusable();
}

/** Lists the organizations of other users who have entered a code that was sent to the address which the username is. */
async function listProvers(
  tx: ReadTransaction,
  username: string,
  user: User | undefined,
): Promise<readonly OrganizationId[]> {
  const email = user?.username === username ? undefined : toEmail(foldName(username));
  if (email === undefined) return [];
  const rows = await tx.all<{ id: UserId; organizationId: OrganizationId }>(
    `SELECT id, resource_owner AS "organizationId" FROM users WHERE ${proved.EMAIL} LIMIT 100`,
    [email],
  );
  return rows.filter(({ id }) => id !== user?.id).map(({ organizationId }) => organizationId);
}

type Find = (
  tx: ReadTransaction,
  asked: Pick<LoginName, "name" | "organizationId">,
) => Promise<HumanUser | undefined>;

/** How the kinds of names find a user; the first of the table wins. */
const finders: Readonly<Record<LoginNameKind, Find>> = {
  USERNAME: (tx, { name }) => findHumanByUsername(tx, name),
  EMAIL: (tx, { name, organizationId }) => findByAddress(tx, "EMAIL", toEmail(name), organizationId),
  PHONE: (tx, { name, organizationId }) => findByAddress(tx, "PHONE", toPhone(name), organizationId),
};

// What a code was sent to stands in a column of its own, so that it does not count for an address that came in its place.
const proved = {
  EMAIL: "proved_email = ? AND lower(email) = proved_email AND is_email_verified = 1",
  PHONE: "proved_phone = ? AND phone = proved_phone AND is_phone_verified = 1",
} as const;

const verified = {
  EMAIL: "resource_owner = ? AND lower(email) = ? AND is_email_verified = 1",
  PHONE: "resource_owner = ? AND phone = ? AND is_phone_verified = 1",
} as const;

async function findByAddress(
  tx: ReadTransaction,
  kind: "EMAIL" | "PHONE",
  address: string | undefined,
  organizationId: OrganizationId | undefined,
): Promise<HumanUser | undefined> {
  if (address === undefined) return undefined;
  const ofOrganization =
    organizationId === undefined ? undefined : await findOnly(tx, verified[kind], [organizationId, address]);
  const id = ofOrganization ?? (await findOnly(tx, proved[kind], [address]));
  const user = id === undefined ? undefined : await findUserById(tx, id);
  return user?.kind === "human" ? user : undefined;
}

async function findOnly(
  tx: ReadTransaction,
  where: string,
  parameters: readonly SqlValue[],
): Promise<UserId | undefined> {
  const [first, ...others] = await tx.all<{ id: UserId }>(
    `SELECT id FROM users WHERE ${where} AND state = 'ACTIVE' AND kind = 'human' LIMIT 2`,
    parameters,
  );
  return others.length === 0 ? first?.id : undefined;
}
