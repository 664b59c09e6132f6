import { notEnded } from "../../rights-in-time/period-columns.ts";
import type { Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { OrganizationId, UserId } from "../../../kernel/base/ids.ts";
import {
  type HeldRow,
  listInstanceRoles,
  toNames,
  toRoles,
  oldestFirst,
} from "../../held-roles/repository.ts";
import type { LoginPolicy, StrongFactorKind } from "../../policies/login-policy.ts";
import { readPolicyOfUser } from "../../policies/repository.ts";
import { listNamesOf } from "../../people/user/login-name-repository.ts";
import { toAnswerable } from "../../logins/login-origins/login-origin.ts";
import type { SignInFacts } from "./way-in.ts";

/** What the login pages can do. */
export interface SignInPlace {
  /** Their relying party id; undefined: there is none, and they ask for no key and no passkey. */
  readonly domain: string | undefined;
  /** Whether a code for a new password can be mailed. */
  readonly sendsMail: boolean;
}

/** In place of a relying party id: whichever it is. */
export const anyDomain = Symbol("any domain");

type AskedDomain = SignInPlace["domain"] | typeof anyDomain;

/** A user that may sign in: an ACTIVE human user of an ACTIVE organization. */
export interface SignInUser {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
}

const active = `FROM users u JOIN organizations o ON o.id = u.resource_owner
  WHERE u.kind = 'human' AND u.state = 'ACTIVE' AND o.state = 'ACTIVE'`;

/** Finds the user if they may sign in. */
export async function findSignInUser(tx: ReadTransaction, id: string): Promise<SignInUser | undefined> {
  return await tx.get<SignInUser>(
    `SELECT u.id AS "userId", u.resource_owner AS "organizationId" ${active} AND u.id = ?`,
    [id],
  );
}

type HeldSince = Pick<HeldRow, "id" | "creation_date" | "roles">;

/** Lists the people who may sign in and hold a role on the instance; undefined: those of all organizations. Oldest first. */
export async function listHoldersOnInstance(
  tx: ReadTransaction,
  organizationId?: string,
): Promise<readonly SignInUser[]> {
  const held = notEnded("m", tx.now());
  const rows = await tx.all<SignInUser & HeldSince>(
    `SELECT u.id AS "userId", u.resource_owner AS "organizationId", m.roles,
       m.id, m.creation_date
     FROM holders_of_scopes m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = u.resource_owner
     WHERE m.scope_kind = 'instance' AND m.scope_id = ''
       AND u.kind = 'human' AND u.state = 'ACTIVE' AND o.state = 'ACTIVE' AND ${held.sql}`,
    held.parameters,
  );
  const holders = rows
    .toSorted(oldestFirst)
    .filter((row) => toRoles(toNames(row)).length > 0)
    .filter((row) => organizationId === undefined || row.organizationId === organizationId)
    .map((row) => ({ userId: row.userId, organizationId: row.organizationId }));
  // Some hold several memberships there, their own and those of their groups.
  return [...new Map(holders.map((holder) => [holder.userId, holder])).values()];
}

/** Lists the people who hold INSTANCE_OWNER and are locked for wrong passwords, as earlier versions did. Oldest membership first. */
export async function listOwnersLockedByTries(tx: ReadTransaction): Promise<readonly string[]> {
  const held = notEnded("m", tx.now());
  const rows = await tx.all<{ userId: string } & HeldSince>(
    `SELECT u.id AS "userId", m.roles, m.id, m.creation_date FROM holders_of_scopes m JOIN stored_users u ON u.id = m.user_id
     WHERE m.scope_kind = 'instance' AND m.scope_id = ''
       AND u.kind = 'human' AND u.state = 'LOCKED' AND u.is_locked_by_tries = 1 AND ${held.sql}`,
    held.parameters,
  );
  const owners = rows.toSorted(oldestFirst).filter((row) => toNames(row).includes("INSTANCE_OWNER"));
  return [...new Set(owners.map(({ userId }) => userId))];
}

/** Reads what decides whether the user can sign in. */
export async function readSignInFacts(
  tx: ReadTransaction,
  user: SignInUser,
  place: Pick<SignInPlace, "sendsMail"> & { readonly domain: AskedDomain },
): Promise<SignInFacts> {
  const { userId, organizationId } = user;
  const policy: LoginPolicy = await readPolicyOfUser(tx, user);
  const { domain, sendsMail } = place;
  const isHolder = (await listInstanceRoles(tx, userId)).length > 0;
  return {
    policy,
    hasPassword: await hasPassword(tx, userId, { sendsMail, isHolder }),
    names: await listNamesOf(tx, userId),
    hasPasskey: domain !== undefined && (await hasPasskey(tx, userId, domain)),
    hasProvider: await hasProvider(tx, userId, organizationId),
    factors: await listFactors(tx, userId, domain),
    hasRelyingParty: domain !== undefined,
    needsOwnFactor: isHolder,
  };
}

/** If the user has a role on the instance, no code goes to an address that an identity provider vouches for. */
async function hasPassword(
  tx: ReadTransaction,
  userId: UserId,
  { sendsMail, isHolder }: Pick<SignInPlace, "sendsMail"> & { readonly isHolder: boolean },
): Promise<boolean> {
  const row = await tx.get<{ password_date: number | null; can_be_mailed: number; email_creator: Editor }>(
    `SELECT password_date, COALESCE(email_creator, 'system') AS email_creator,
       CASE WHEN email IS NOT NULL AND is_email_verified = 1 AND COALESCE(email_creator, 'system') <> ''
       THEN 1 ELSE 0 END AS can_be_mailed FROM stored_users WHERE id = ?`,
    [userId],
  );
  if (row === undefined) return false;
  if (row.password_date !== null) return true;
  if (isHolder && toAnswerable(row.email_creator).isByProvider) return false;
  return sendsMail && row.can_be_mailed === 1;
}

async function hasPasskey(
  tx: ReadTransaction,
  userId: UserId,
  domain: string | typeof anyDomain,
): Promise<boolean> {
  const rows = await tx.all<{ domain: string }>(
    "SELECT domain FROM passkeys WHERE user_id = ? AND state = 'READY' AND is_questioned = 0",
    [userId],
  );
  return rows.some((row) => domain === anyDomain || row.domain === domain);
}

/** The same providers as a login to the organization offers: all of them if it has no policy of its own, else those of its list. */
async function hasProvider(
  tx: ReadTransaction,
  userId: UserId,
  organizationId: OrganizationId,
): Promise<boolean> {
  const links = await tx.all<{ idp_id: string; issuer: string }>(
    "SELECT idp_id, issuer FROM idp_links WHERE user_id = ? AND is_questioned = 0",
    [userId],
  );
  if (links.length === 0) return false;
  const policy = await tx.get<{ id: string; allow_external_idps: number }>(
    "SELECT id, allow_external_idps FROM login_policies WHERE resource_owner = ?",
    [organizationId],
  );
  if (policy?.allow_external_idps === 0) return false;
  for (const { idp_id: id, issuer } of links) {
    const provider = await tx.get<{ state: string; config: string }>(
      "SELECT state, config FROM identity_providers WHERE id = ?",
      [id],
    );
    if (provider?.state !== "ACTIVE") continue;
    const { issuer: present } = JSON.parse(provider.config) as { readonly issuer?: string }; // as in the event
    // A link from before the provider had its issuer lets nobody in.
    if (present !== issuer) continue;
    if (policy === undefined) return true;
    const sql = "SELECT 1 FROM login_policy_idps WHERE policy_id = ? AND idp_id = ?";
    if ((await tx.get(sql, [policy.id, id])) !== undefined) return true;
  }
  return false;
}

async function listFactors(
  tx: ReadTransaction,
  userId: UserId,
  domain: AskedDomain,
): Promise<readonly StrongFactorKind[]> {
  const rows = await tx.all<{ type: StrongFactorKind; domain: string }>(
    `SELECT type, domain FROM second_factors
     WHERE user_id = ? AND state = 'READY' AND is_questioned = 0 AND type IN ('U2F', 'TOTP')`,
    [userId],
  );
  return rows
    .filter((row) => row.type === "TOTP" || domain === anyDomain || row.domain === domain)
    .map(({ type }) => type);
}
