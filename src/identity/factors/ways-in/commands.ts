import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { InstanceId } from "../../../kernel/base/ids.ts";
import { findMissing, holdsAt } from "../../../kernel/base/permission.ts";
import { permissionDenied } from "../../../kernel/base/problem.ts";
import type { CommandTransaction, WaysIn, WaysInAsked } from "../../context.ts";
import { listInstanceRoles } from "../../held-roles/repository.ts";
import { defaultSettings } from "../../policies/login-policy.ts";
import {
  type anyDomain,
  findSignInUser,
  listHoldersOnInstance,
  listOwnersLockedByTries,
  readSignInFacts,
  type SignInPlace,
  type SignInUser,
} from "./repository.ts";
import { findStanding, isWorse, type LockedOut, locksOut, type Standing } from "./way-in.ts";

/** Creates the guard that keeps users with a role on the instance able to sign in. `placeOf` says what the login pages can do. */
export function createWaysIn(instanceId: InstanceId, placeOf: () => SignInPlace): WaysIn {
  return {
    async keep(command, asked) {
      const { tx, call, afterAppend } = command;
      if (call.isForced === true) {
        requireMayForce(command, instanceId);
        return;
      }
      const place = placeOf();
      const before = new Map<string, Standing>();
      for (const user of await listConcerned(tx, asked))
        before.set(user.userId, findStanding(await readSignInFacts(tx, user, place)));
      if (before.size === 0) return;
      afterAppend(async () => {
        const people = await listLockedOut(tx, before, place);
        const isReader = holdsAt(call.caller.held, "membership.read", { kind: "instance" });
        if (people.length > 0) throw locksOut(people, isReader);
      });
    },
  };
}

/** The people who hold a role on the instance and do not get in, by their ids, those with the oldest membership first. */
export interface KeptOut {
  /** They have a way to sign in, but the login policy of the instance does not allow it. */
  readonly byPolicy: readonly string[];
  /** They have nothing that lets them in. */
  readonly withoutWay: readonly string[];
  /** An identity provider of their organization can keep them out. */
  readonly onlyByProvider: readonly string[];
  /** Earlier versions have locked them for wrong passwords. */
  readonly locked: readonly string[];
}

/** Finds the people who hold a role on the instance and do not get in. `place` is as for `createWaysIn`; its domain may be any. */
export async function findKeptOut(
  tx: ReadTransaction,
  place: Pick<SignInPlace, "sendsMail"> & { readonly domain: SignInPlace["domain"] | typeof anyDomain },
): Promise<KeptOut> {
  const found = { byPolicy: [] as string[], withoutWay: [] as string[], onlyByProvider: [] as string[] };
  for (const user of await listHoldersOnInstance(tx)) {
    const facts = await readSignInFacts(tx, user, place);
    const standing = findStanding(facts);
    if (standing === "own") continue;
    if (findStanding({ ...facts, policy: defaultSettings }) === "own") found.byPolicy.push(user.userId);
    else found[standing === "provider" ? "onlyByProvider" : "withoutWay"].push(user.userId);
  }
  return { ...found, locked: await listOwnersLockedByTries(tx) };
}

async function listConcerned(tx: ReadTransaction, asked: WaysInAsked): Promise<readonly SignInUser[]> {
  if (asked.of !== "user")
    return await listHoldersOnInstance(tx, asked.of === "organization" ? asked.organizationId : undefined);
  // Most users hold no role on the instance: for them it is this one look-up.
  const isHolder = asked.isGain === true || (await listInstanceRoles(tx, asked.userId)).length > 0;
  const user = isHolder ? await findSignInUser(tx, asked.userId) : undefined;
  return user === undefined ? [] : [user];
}

async function listLockedOut(
  tx: ReadTransaction,
  before: ReadonlyMap<string, Standing>,
  place: SignInPlace,
): Promise<readonly LockedOut[]> {
  const people: LockedOut[] = [];
  for (const [userId, standing] of before) {
    const user = await findSignInUser(tx, userId);
    if (user === undefined || (await listInstanceRoles(tx, userId)).length === 0) continue;
    const after = findStanding(await readSignInFacts(tx, user, place));
    if (isWorse(standing, after)) people.push({ userId, after });
  }
  return people;
}

/** Raises PERMISSION_DENIED for a caller who does not hold all that INSTANCE_OWNER gives. */
function requireMayForce({ call }: CommandTransaction, instanceId: InstanceId): void {
  const scope = { kind: "instance" } as const;
  const missing = findMissing(call.caller.held, [{ scope, roles: ["INSTANCE_OWNER"] }]);
  if (missing === undefined) return;
  throw permissionDenied(
    missing.permission,
    instanceId,
    "only a caller with all permissions of INSTANCE_OWNER on the instance may force this",
  );
}
