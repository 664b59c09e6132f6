import type { Origin } from "../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { InstanceId, MembershipId, OrganizationId, TokenId, UserId } from "../../kernel/base/ids.ts";
import type { Keyring } from "../../kernel/base/keyring.ts";
import { equalBytes, type Secret } from "../../kernel/base/secret.ts";
import { isKeyNeeded, putSecret } from "../../kernel/events/secret-store.ts";
import type { FeatureContext } from "../context.ts";
import { listInstanceOwners } from "../held-roles/repository.ts";
import { addMembership } from "../memberships/membership.ts";
import { addOrganization } from "../organizations/organization.ts";
import { addToken } from "../programs/tokens/token.ts";
import { addServiceUser } from "../people/user/user.ts";
import {
  findInstanceId,
  findSealingKeyId,
  listKeyChecks,
  noteFormerGainsChecked,
  putInstanceId,
  putKeyCheck,
  putSealingKeyId,
} from "./repository.ts";
import { limitProviderLogins } from "./provider-logins.ts";
import { makeSetupLink } from "./setup-link.ts";

/** The key file does not belong to the database. */
export class WrongMasterKeyError extends Error {}

/** An instance, and whether this process has created it. */
export interface CreatedInstance {
  readonly id: InstanceId;
  readonly isNew: boolean;
}

/** An export, as the log says it. */
interface NotedExport {
  readonly instanceId: InstanceId;
  readonly organizationId: string;
  readonly hasSecrets: boolean;
}

/** What the command line does with the instance as a whole. No rpc leads here. */
export interface InstanceCommands {
  /**
   * Compares the keyring with the check values in the database, adds check values for new keys, and lets the keyring encrypt with
   * the key that all processes encrypt with. Does nothing before the first start. Throws WrongMasterKeyError when a key differs, or
   * when a key that the database was used with is missing.
   */
  checkMasterKeys(): Promise<void>;
  /** Returns the id of the instance; undefined before the first start. */
  findId(): Promise<InstanceId | undefined>;
  /**
   * Creates the instance, an organization "Default" and a service user "admin" with the role INSTANCE_OWNER and a token.
   * `keepToken` is called with the token before anything is committed, so that the token cannot be lost. When another
   * process has created the instance meanwhile, returns that one, unless its keys are others (WrongMasterKeyError).
   */
  create(keepToken: (token: Secret) => void): Promise<CreatedInstance>;
  /** Does once what an update has to do about logins at identity providers. It may take a while, and is then resumed by the next start. */
  limitProviderLogins(): Promise<void>;
  /**
   * Makes another token for an administrator: the user with this id, or the oldest active INSTANCE_OWNER. Returns
   * undefined when there is no such user.
   */
  addAdministratorToken(
    userId: string | undefined,
  ): Promise<{ readonly userId: string; readonly token: Secret } | undefined>;
  /** Records that everything is being exported to a file, or one organization if its id is not empty. */
  noteExport(exported: NotedExport): Promise<void>;
  /** Makes a link with which an administrator signs up, once, within 24 hours. Nothing is stored. */
  makeSetupLink(issuer: string): Secret;
}

const firstStart: Origin = { editor: "system", remoteAddress: undefined, requestId: "first-start" };
const exportOrigin: Origin = { editor: "system", remoteAddress: undefined, requestId: "export" };
const tokenCreate: Origin = { editor: "system", remoteAddress: undefined, requestId: "token-create" };

/**
 * Creates the commands of the instance that the context opens. Processes that share a place encrypt with the key that the
 * database names; otherwise the first key of the file encrypts.
 */
export function createInstanceCommands(
  context: FeatureContext,
  place: { readonly isShared: boolean },
): InstanceCommands {
  return {
    checkMasterKeys: () => checkMasterKeys(context),
    findId: () => context.database.read(findInstanceId),
    create: (keepToken) => create(context, place, keepToken),
    limitProviderLogins: () => limitProviderLogins(context),
    addAdministratorToken: (userId) => addAdministratorToken(context, userId),
    noteExport: (exported) => noteExport(context, exported),
    makeSetupLink: (issuer) => makeSetupLink({ ...context, issuer, nowMs: context.clock.nowMs() }),
  };
}

async function checkMasterKeys({ database, keyring }: FeatureContext): Promise<void> {
  const { isThere, unknown } = await database.read(async (tx) => ({
    isThere: (await findInstanceId(tx)) !== undefined,
    unknown: await requireKeysOf(tx, keyring),
  }));
  if (!isThere) return; // in one write with the instance: two processes may be at their first start with different keys
  if (unknown.length > 0) await database.write((tx) => noteKeys(tx, keyring));
  await database.read((tx) => followSealingKey(tx, keyring));
}

/** Stores the check values of keys that the database does not know. */
async function noteKeys(tx: WriteTransaction, keyring: Keyring): Promise<void> {
  for (const keyId of await requireKeysOf(tx, keyring))
    await putKeyCheck(tx, keyId, keyring.checkValue(keyId));
}

/** Lets the keyring encrypt with the key that the database names; that of a data folder names none. */
async function followSealingKey(tx: ReadTransaction, keyring: Keyring): Promise<void> {
  const keyId = (await findSealingKeyId(tx)) ?? keyring.keyIds[0];
  if (keyId !== undefined) keyring.sealWith(keyId);
}

/**
 * Throws WrongMasterKeyError when a key differs from the one that the database was used with, or is missing while it
 * encrypts or stored data depends on it (after a rotation an old key may be removed). Returns the keys that the database
 * does not know.
 */
export async function requireKeysOf(tx: ReadTransaction, keyring: Keyring): Promise<readonly string[]> {
  const known = await listKeyChecks(tx);
  const sealingKeyId = await findSealingKeyId(tx);
  for (const keyId of known.keys()) {
    if (keyring.keyIds.includes(keyId)) continue;
    if (keyId === sealingKeyId || (await isKeyNeeded(tx, keyId)))
      throw new WrongMasterKeyError(`the key ${keyId} that the database was used with is missing`);
  }
  return keyring.keyIds.filter((keyId) => {
    const expected = known.get(keyId);
    if (expected !== undefined && !equalBytes(expected, keyring.checkValue(keyId)))
      throw new WrongMasterKeyError(`the key ${keyId} differs from the one that the database was used with`);
    return expected === undefined;
  });
}

async function create(
  context: FeatureContext,
  { isShared }: { readonly isShared: boolean },
  keepToken: (token: Secret) => void,
): Promise<CreatedInstance> {
  const { keyring } = context;
  return await context.database.write(async (tx) => {
    await noteKeys(tx, keyring);
    const existing = await findInstanceId(tx);
    if (existing !== undefined) {
      await followSealingKey(tx, keyring);
      return { id: existing, isNew: false };
    }
    if (isShared) await putSealingKeyId(tx, keyring.sealingKeyId);
    const instanceId = tx.nextId<InstanceId>();
    const organizationId = tx.nextId<OrganizationId>();
    const userId = tx.nextId<UserId>();
    const admin = {
      username: "admin",
      name: "Administrator",
      description: "Made at the first start.",
      accessTokenType: "BEARER",
      signingAlgorithm: "RS256",
      trustMail: false,
    } as const;
    const made = addToken({ id: tx.nextId<TokenId>(), userId, organizationId, random: context.random });
    keepToken(made.token); // before the commit: a token that nobody has would lock everybody out
    await putInstanceId(tx, instanceId);
    await noteFormerGainsChecked(tx); // nobody has gained anything yet
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
    return { id: instanceId, isNew: true };
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

async function noteExport(
  { database, log }: FeatureContext,
  { instanceId, organizationId, hasSecrets }: NotedExport,
): Promise<void> {
  await database.write((tx) =>
    log.append(tx, exportOrigin, [
      {
        type: "instance.exported",
        aggregateId: instanceId,
        resourceOwner: instanceId,
        payload: { organization_id: organizationId, with_secrets: hasSecrets },
      },
    ]),
  );
}
