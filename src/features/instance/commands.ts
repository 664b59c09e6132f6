import type { Origin } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import type { InstanceId, MembershipId, OrganizationId, TokenId, UserId } from "../../base/ids.ts";
import type { Keyring } from "../../base/keyring.ts";
import { equalBytes, type Secret } from "../../base/secret.ts";
import { isKeyNeeded, putSecret } from "../../events/secret-store.ts";
import type { FeatureContext } from "../context.ts";
import { listInstanceOwners } from "../held-roles/repository.ts";
import { addMembership } from "../memberships/membership.ts";
import { addOrganization } from "../organizations/organization.ts";
import { addToken } from "../users/tokens/token.ts";
import { addServiceUser } from "../users/user/user.ts";
import { findInstanceId, listKeyChecks, putInstanceId, putKeyCheck } from "./repository.ts";

/** The key file does not belong to the database. */
export class WrongMasterKeyError extends Error {}

/** What the command line does with the instance as a whole. No rpc leads here. */
export interface InstanceCommands {
  /**
   * Compares the key file with the check values in the database and adds those of new keys. Throws
   * WrongMasterKeyError when a key differs, or when a key that the database was used with is missing.
   */
  checkMasterKeys(): Promise<void>;
  /** Returns the id of the instance; undefined before the first start. */
  findId(): Promise<InstanceId | undefined>;
  /**
   * Creates the instance, an organization "Default" and a service user "admin" with the role INSTANCE_OWNER and a token.
   * `keepToken` is called with the token before anything is committed, so that the token cannot be lost.
   */
  create(keepToken: (token: Secret) => void): Promise<InstanceId>;
  /**
   * Makes another token for an administrator: the user with this id, or the oldest active INSTANCE_OWNER. Returns
   * undefined when there is no such user.
   */
  addAdministratorToken(
    userId: string | undefined,
  ): Promise<{ readonly userId: string; readonly token: Secret } | undefined>;
}

const firstStart: Origin = { editor: "system", remoteAddress: undefined, requestId: "first-start" };
const tokenCreate: Origin = { editor: "system", remoteAddress: undefined, requestId: "token-create" };

/** Creates the commands of the instance that the context opens. */
export function createInstanceCommands(context: FeatureContext): InstanceCommands {
  return {
    checkMasterKeys: () => checkMasterKeys(context),
    findId: () => context.database.read(findInstanceId),
    create: (keepToken) => create(context, keepToken),
    addAdministratorToken: (userId) => addAdministratorToken(context, userId),
  };
}

async function checkMasterKeys({ database, keyring }: FeatureContext): Promise<void> {
  const unknown = await database.read((tx) => requireKeysOf(tx, keyring));
  for (const keyId of unknown)
    await database.write((tx) => putKeyCheck(tx, keyId, keyring.checkValue(keyId)));
}

/**
 * Throws WrongMasterKeyError when a key differs from the one that the database was used with, or is missing while
 * stored data depends on it (after a rotation an old key may be removed). Returns the keys that the database does not
 * know.
 */
export async function requireKeysOf(tx: ReadTransaction, keyring: Keyring): Promise<readonly string[]> {
  const known = await listKeyChecks(tx);
  for (const keyId of known.keys()) {
    if (!keyring.keyIds.includes(keyId) && (await isKeyNeeded(tx, keyId)))
      throw new WrongMasterKeyError(`the key ${keyId} that the database was used with is missing`);
  }
  return keyring.keyIds.filter((keyId) => {
    const expected = known.get(keyId);
    if (expected !== undefined && !equalBytes(expected, keyring.checkValue(keyId)))
      throw new WrongMasterKeyError(`the key ${keyId} differs from the one that the database was used with`);
    return expected === undefined;
  });
}

async function create(context: FeatureContext, keepToken: (token: Secret) => void): Promise<InstanceId> {
  return await context.database.write(async (tx) => {
    const instanceId = tx.nextId<InstanceId>();
    const organizationId = tx.nextId<OrganizationId>();
    const userId = tx.nextId<UserId>();
    const admin = {
      username: "admin",
      name: "Administrator",
      description: "Made at the first start.",
      accessTokenType: "BEARER",
      signingAlgorithm: "RS256",
    } as const;
    const made = addToken({ id: tx.nextId<TokenId>(), userId, organizationId, random: context.random });
    keepToken(made.token); // before the commit: a token that nobody has would lock everybody out
    await putInstanceId(tx, instanceId);
    await putSecret(tx, made.secretId, { keyId: "", value: made.hash });
    await context.log.append(tx, firstStart, [
      addOrganization(organizationId, "Default"),
      addServiceUser(userId, organizationId, admin),
      addMembership({
        id: tx.nextId<MembershipId>(),
        userId,
        scope: { kind: "instance" },
        roles: ["INSTANCE_OWNER"],
        resourceOwner: instanceId,
      }),
      made.event,
    ]);
    return instanceId;
  });
}

async function addAdministratorToken(context: FeatureContext, userId: string | undefined) {
  return await context.database.write(async (tx) => {
    const owners = await listInstanceOwners(tx);
    const owner = userId === undefined ? owners[0] : owners.find((each) => each.userId === userId);
    if (owner === undefined) return undefined;
    const made = addToken({
      id: tx.nextId<TokenId>(),
      userId: owner.userId,
      organizationId: owner.organizationId,
      random: context.random,
    });
    await putSecret(tx, made.secretId, { keyId: "", value: made.hash });
    await context.log.append(tx, tokenCreate, [made.event]);
    return { userId: owner.userId, token: made.token };
  });
}
