import type { Call } from "../../kernel/base/call.ts";
import type { WriteTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { InstanceId, TargetId, TargetSecretId, TokenId } from "../../kernel/base/ids.ts";
import type { Page, PageRequest } from "../../kernel/base/paging.ts";
import { limitReached, permissionDenied, requireBelowLimit } from "../../kernel/base/problem.ts";
import type { Secret } from "../../kernel/base/secret.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { putSecret } from "../../kernel/events/secret-store.ts";
import type { TargetTokenPayload } from "../../kernel/events/delivery-payloads.ts";
import { change, type CommandTransaction, type FeatureContext, requireTarget, write } from "../context.ts";
import type { ListedPage } from "../list.ts";
import { findLoginOriginOf } from "../logins/login-origins/repository.ts";
import { toLoginOriginPayload } from "../logins/login-origins/login-origin.ts";
import { findToken } from "../programs/tokens/repository.ts";
import { callerTokenRemoved } from "../programs/tokens/token.ts";
import { isOnlySecret } from "../signing-secrets/only-secret.ts";
import { makeSigningSecret, maxSecrets } from "../signing-secrets/signing-secret.ts";
import {
  listDeliveriesOfTarget,
  listTargets,
  ownersOf,
  requireForInstance,
  type SeenTarget,
  type TargetSetup,
  toSeenTarget,
} from "./reads.ts";
import { remove, type Removal } from "../removal.ts";
import { findCreator, mayReadEvents } from "./target/creator-repository.ts";
import type { TargetDelivery } from "./positions/position.ts";
import { countTargets, getTarget, isTargetNameTaken, type TargetFilter } from "./target/repository.ts";
import {
  addTarget,
  addTargetSecret,
  deactivateTarget,
  maxTargets,
  reactivateTarget,
  redeliver,
  removeTarget,
  removeTargetSecret,
  signingSecretIdOf,
  type TargetSettings,
  targetNameTaken,
  updateTarget,
} from "./target/target.ts";

/** What was added, and the secret that is shown only once. */
export interface Added<Id> {
  readonly id: Id;
  readonly details: Details;
  readonly secret: Secret;
}

/** The use cases of targets. `secret` undefined: one is made, or the stored ones stay. */
export interface TargetCommands {
  /** Raises PERMISSION_DENIED, LIMIT_REACHED, ALREADY_EXISTS, FIELD_INVALID. */
  add(
    call: Call,
    settings: TargetSettings,
    of: { readonly isOfInstance: boolean; readonly secret: Secret | undefined },
  ): Promise<Added<TargetId>>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<SeenTarget>;
  /** Raises PERMISSION_DENIED, PAGE_TOKEN_INVALID. */
  list(
    call: Call,
    asked: TargetFilter & { readonly isOfInstance: boolean },
    page: PageRequest,
  ): Promise<ListedPage<SeenTarget>>;
  /** Raises NOT_FOUND, PERMISSION_DENIED, ALREADY_EXISTS, FIELD_INVALID. Harmless to repeat. */
  update(
    call: Call,
    id: string,
    to: { readonly settings: TargetSettings; readonly secret: Secret | undefined },
  ): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  deactivate(call: Call, id: string): Promise<Details>;
  /** Raises NOT_FOUND, PERMISSION_DENIED. Harmless to repeat. */
  reactivate(call: Call, id: string): Promise<Details>;
  /** Raises NOT_FOUND. */
  remove(call: Call, id: string): Promise<Removal>;
  /** Raises NOT_FOUND, PERMISSION_DENIED, LIMIT_REACHED. */
  addSecret(call: Call, id: string, secret: Secret | undefined): Promise<Added<TargetSecretId>>;
  /** Raises NOT_FOUND, PERMISSION_DENIED, LAST_SIGNING_SECRET. */
  removeSecret(call: Call, id: string, secretId: string): Promise<Removal>;
  /** Raises NOT_FOUND, PERMISSION_DENIED, FIELD_INVALID. */
  redeliver(call: Call, id: string, fromSequence: number): Promise<Details>;
  /** The newest event first. Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  listDeliveries(
    call: Call,
    id: string,
    page: PageRequest,
  ): Promise<{ readonly page: Page<TargetDelivery>; readonly sequence: number }>;
}

/** Creates the commands of targets. */
export function createTargetCommands(context: FeatureContext, instanceId: InstanceId): TargetCommands {
  const setup = { context, instanceId };
  return {
    add: (call, settings, of) => add(setup, call, { settings, ...of }),
    get: (call, id) =>
      context.database.read(async (tx) => {
        const target = await getTarget(tx, ownersOf(setup, call, "policy.read"), id);
        return await toSeenTarget(setup, tx, target);
      }),
    list: (call, asked, page) => listTargets(setup, { call, asked, page }),
    update: (call, id, to) => update(setup, call, { id, ...to }),
    deactivate: (call, id) => change(context, call, { load: load(setup, id), decide: deactivateTarget }),
    reactivate: (call, id) =>
      change(context, call, {
        load: load(setup, id),
        async decide(target, command) {
          requireEventRead(setup, command.call, target.details.resourceOwner);
          const { tx } = command;
          const creator = await findCreator(tx, target, { instanceId, nowMs: context.clock.nowMs() });
          return reactivateTarget(target, creator === undefined, await makeToken(command));
        },
      }),
    remove: (call, id) => remove(context, call, { load: load(setup, id), decide: removeTarget }),
    addSecret: (call, id, secret) => addSecret(setup, call, { id, secret }),
    removeSecret: (call, id, secretId) =>
      remove(context, call, {
        load: load(setup, id),
        async decide(target, command) {
          requireEventRead(setup, command.call, target.details.resourceOwner);
          return removeTargetSecret(target, secretId, await makeToken(command));
        },
      }),
    redeliver: (call, id, fromSequence) =>
      change(context, call, {
        load: load(setup, id),
        decide(target, command) {
          requireEventRead(setup, command.call, target.details.resourceOwner);
          return redeliver(target, fromSequence, context.clock.nowMs());
        },
      }),
    listDeliveries: (call, id, page) => listDeliveriesOfTarget(setup, { call, id, page }),
  };
}

/** Loads the target that a call changes. */
function load(setup: TargetSetup, id: string) {
  return ({ tx, call }: CommandTransaction) => getTarget(tx, ownersOf(setup, call, "policy.write"), id);
}

/** Refuses a caller who could not read what would be delivered. Raises PERMISSION_DENIED. */
function requireEventRead(
  { instanceId }: TargetSetup,
  { caller }: Pick<Call, "caller">,
  owner: string,
): void {
  if (!mayReadEvents(caller.held, owner, instanceId)) throw permissionDenied("event.read", owner);
}

function add(
  setup: TargetSetup,
  sent: Call,
  asked: {
    readonly settings: TargetSettings;
    readonly isOfInstance: boolean;
    readonly secret: Secret | undefined;
  },
): Promise<Added<TargetId>> {
  return write(setup.context, sent, async (command) => {
    const { tx, call } = command;
    if (asked.isOfInstance) requireForInstance(setup, call, "policy.write");
    const owner = asked.isOfInstance ? setup.instanceId : call.access.organizationId;
    requireEventRead(setup, call, owner);
    const [id, secretId] = [tx.nextId<TargetId>(), tx.nextId<TargetSecretId>()];
    const { settings } = asked;
    const added = addTarget({ id, owner, settings, secretId, token: await makeToken(command) });
    requireBelowLimit(await countTargets(tx, owner, maxTargets), { type: "target", max: maxTargets });
    if (await isTargetNameTaken(tx, owner, settings.name)) throw targetNameTaken(settings.name);
    const secret = await storeSecret(setup, tx, secretId, asked.secret);
    return { id, details: createdDetails(await command.append([added]), owner), secret };
  });
}

function update(
  setup: TargetSetup,
  sent: Call,
  {
    id,
    settings,
    secret,
  }: { readonly id: string; readonly settings: TargetSettings; readonly secret: Secret | undefined },
): Promise<Details> {
  return change(setup.context, sent, {
    load: load(setup, id),
    async decide(target, command) {
      const { tx, call } = command;
      const owner = target.details.resourceOwner;
      requireEventRead(setup, call, owner);
      const ids = target.secrets.map((each) => signingSecretIdOf(each.id));
      const kept = { purpose: "target-secret", ids, secret } as const;
      const isKept = settings.url === target.url && (await isOnlySecret(tx, setup.context.keyring, kept));
      const secretId = secret && !isKept ? tx.nextId<TargetSecretId>() : undefined;
      const events = updateTarget(target, { settings, secretId }, await makeToken(command));
      if (events.length === 0) return events;
      if (await isTargetNameTaken(tx, owner, settings.name, target)) throw targetNameTaken(settings.name);
      if (secretId !== undefined) await storeSecret(setup, tx, secretId, secret);
      return events;
    },
  });
}

function addSecret(
  setup: TargetSetup,
  sent: Call,
  { id, secret }: { readonly id: string; readonly secret: Secret | undefined },
): Promise<Added<TargetSecretId>> {
  return write(setup.context, sent, async (command) => {
    const { tx, call } = command;
    const target = requireTarget(call, await load(setup, id)(command));
    const owner = target.details.resourceOwner;
    requireEventRead(setup, call, owner);
    if (target.secrets.length >= maxSecrets) throw limitReached("target_secret", maxSecrets);
    const secretId = tx.nextId<TargetSecretId>();
    const events: readonly NewEvent[] = addTargetSecret(target, secretId, await makeToken(command));
    const stored = await storeSecret(setup, tx, secretId, secret);
    const date = await command.append(events);
    return { id: secretId, details: { ...target.details, sequence: date }, secret: stored };
  });
}

/** Stores the secret that was sent, or a new one, and returns it. */
async function storeSecret(
  { context }: TargetSetup,
  tx: WriteTransaction,
  secretId: TargetSecretId,
  sent: Secret | undefined,
): Promise<Secret> {
  const secret = sent ?? makeSigningSecret(context.random);
  const id = signingSecretIdOf(secretId);
  const plaintext = Buffer.from(secret.reveal(), "utf8");
  await putSecret(tx, id, context.keyring.encrypt("target-secret", plaintext, id));
  return secret;
}

/**
 * Makes the token that a target is checked as, as if the caller had made one for themselves: it expires with the token of the call, goes
 * with it, and carries no more. Raises TOKEN_INVALID when that is gone.
 */
async function makeToken({ tx, call }: Pick<CommandTransaction, "tx" | "call">): Promise<TargetTokenPayload> {
  const { caller } = call;
  const tokenId = tx.nextId<TokenId>();
  if (caller.tokenId === undefined) {
    const origin = await findLoginOriginOf(tx, call, caller.userId);
    return { token_id: tokenId, ...toLoginOriginPayload(origin) };
  }
  const own = await findToken(tx, caller.tokenId);
  if (own === undefined) throw callerTokenRemoved();
  return {
    token_id: tokenId,
    ...(own.expirationMs === undefined ? {} : { expiration_date: new Date(own.expirationMs).toISOString() }),
    made_with_token_id: own.tokenId,
  };
}
