import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { HookId, HookSecretId, InstanceId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { holdsOnInstance, type Permission } from "../../kernel/base/permission.ts";
import { limitReached, permissionDenied, requireBelowLimit } from "../../kernel/base/problem.ts";
import type { Secret } from "../../kernel/base/secret.ts";
import { putSecret } from "../../kernel/events/secret-store.ts";
import { requireForApiAccess } from "../api-access/api-access.ts";
import {
  type ApplicationName,
  isNotApplicationOf,
  requireCreated,
} from "../applications/application/application.ts";
import { getApplication } from "../applications/repository.ts";
import { change, type FeatureContext, requireTarget, write } from "../context.ts";
import { type ListedPage, readList } from "../list.ts";
import { remove, type Removal } from "../removal.ts";
import { isOnlySecret } from "../signing-secrets/only-secret.ts";
import { makeSigningSecret, maxSecrets } from "../signing-secrets/signing-secret.ts";
import { toHookCall } from "./calls/ask-hooks.ts";
import type { HookCaller } from "./calls/hook-caller.ts";
import { sampleOf } from "./calls/sample.ts";
import {
  addHook,
  addHookSecret,
  deactivateHook,
  type Hook,
  type HookKind,
  hookNameTaken,
  type HookSettings,
  hookSecretIdOf,
  maxHooks,
  reactivateHook,
  removeHook,
  removeHookSecret,
  updateHook,
} from "./hook/hook.ts";
import {
  countHooks,
  findHookClaim,
  getHook,
  type HookFilter,
  hookList,
  isHookNameTaken,
} from "./hook/repository.ts";

/** What was added, and the secret that is shown only once. */
export interface AddedWithSecret<Id> {
  readonly id: Id;
  readonly details: Details;
  readonly secret: Secret;
}

/** The result of a trial run. */
export type TrialRun = Awaited<ReturnType<HookCaller["tryOut"]>>;

/** The use cases of hooks. `secret` undefined: one is made, or the stored ones stay. */
export interface HookCommands {
  /** Raises PERMISSION_DENIED, LIMIT_REACHED, ALREADY_EXISTS, FIELD_INVALID. */
  add(
    call: Call,
    settings: HookSettings,
    of: { readonly kind: HookKind; readonly isOfInstance: boolean; readonly secret: Secret | undefined },
  ): Promise<AddedWithSecret<HookId>>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<Hook>;
  /** Raises PERMISSION_DENIED, PAGE_TOKEN_INVALID. */
  list(
    call: Call,
    asked: HookFilter & { readonly isOfInstance: boolean },
    page: PageRequest,
  ): Promise<ListedPage<Hook>>;
  /** Raises NOT_FOUND, ALREADY_EXISTS, FIELD_INVALID. Harmless to repeat. */
  update(
    call: Call,
    id: string,
    to: { readonly settings: HookSettings; readonly secret: Secret | undefined },
  ): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  deactivate(call: Call, id: string): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  reactivate(call: Call, id: string): Promise<Details>;
  /** Raises NOT_FOUND. */
  remove(call: Call, id: string): Promise<Removal>;
  /** Raises NOT_FOUND, LIMIT_REACHED. */
  addSecret(call: Call, id: string, secret: Secret | undefined): Promise<AddedWithSecret<HookSecretId>>;
  /** Raises NOT_FOUND, LAST_SIGNING_SECRET. */
  removeSecret(call: Call, id: string, secretId: string): Promise<Removal>;
  /** Calls the hook with a made-up login. Raises NOT_FOUND. */
  tryOut(call: Call, id: string): Promise<TrialRun>;
  /** Raises NOT_FOUND, PERMISSION_DENIED. Harmless to repeat. */
  setClaim(call: Call, asked: ApplicationName, claim: string): Promise<Details>;
  /** Raises NOT_FOUND. */
  getClaim(
    call: Call,
    asked: ApplicationName,
  ): Promise<{ readonly details: Details; readonly claim: string }>;
}

interface HookSetup {
  readonly context: FeatureContext;
  readonly instanceId: InstanceId;
}

/** Creates the commands of hooks. */
export function createHookCommands(
  context: FeatureContext,
  instanceId: InstanceId,
  caller: Pick<HookCaller, "tryOut">,
): HookCommands {
  const setup = { context, instanceId };
  const { database } = context;
  const load =
    (id: string) =>
    ({ tx, call }: { readonly tx: ReadTransaction; readonly call: Call }) =>
      getHook(tx, ownersOf(setup, call, "policy.write"), id);
  return {
    add: (call, settings, of) => add(setup, call, { settings, ...of }),
    get: (call, id) => database.read((tx) => getHook(tx, ownersOf(setup, call, "policy.read"), id)),
    list: (call, { isOfInstance, ...filter }, page) => {
      if (isOfInstance) requireForInstance(setup, call, "policy.read");
      const of = isOfInstance ? instanceId : call.access.organizationId;
      return database.read((tx) =>
        readList(context, tx, { list: hookList, call, asked: { of, filter }, page }),
      );
    },
    update: (call, id, to) => change(context, call, { load: load(id), decide: updateWith(setup, to) }),
    deactivate: (call, id) => change(context, call, { load: load(id), decide: deactivateHook }),
    reactivate: (call, id) => change(context, call, { load: load(id), decide: reactivateHook }),
    remove: (call, id) => remove(context, call, { load: load(id), decide: removeHook }),
    addSecret: (sent, id, secret) =>
      write(context, sent, async (command) => {
        const hook = requireTarget(command.call, await load(id)(command));
        if (hook.secrets.length >= maxSecrets) throw limitReached("hook_secret", maxSecrets);
        const secretId = command.tx.nextId<HookSecretId>();
        const stored = await storeSecret(setup, command.tx, secretId, secret);
        const date = await command.append(addHookSecret(hook, secretId));
        return { id: secretId, details: { ...hook.details, sequence: date }, secret: stored };
      }),
    removeSecret: (call, id, secretId) =>
      remove(context, call, { load: load(id), decide: (hook) => removeHookSecret(hook, secretId) }),
    async tryOut(call, id) {
      const prepared = await database.read(async (tx) => {
        const hook = await load(id)({ tx, call });
        return await toHookCall(tx, context, hook, sampleOf(hook));
      });
      return await caller.tryOut(prepared);
    },
    ...claimCommands(context),
  };
}

/** Returns the decision to replace the settings, and the signing secrets if another one was sent. */
function updateWith(
  setup: HookSetup,
  { settings, secret }: { readonly settings: HookSettings; readonly secret: Secret | undefined },
) {
  return async (hook: Hook, { tx }: { readonly tx: WriteTransaction }) => {
    const ids = hook.secrets.map((each) => hookSecretIdOf(each.id));
    const kept = { purpose: "hook-secret", ids, secret } as const;
    const isKept = settings.url === hook.url && (await isOnlySecret(tx, setup.context.keyring, kept));
    const secretId = secret && !isKept ? tx.nextId<HookSecretId>() : undefined;
    const events = updateHook(hook, { settings, secretId });
    if (events.length === 0) return events;
    const owner = hook.details.resourceOwner;
    if (await isHookNameTaken(tx, owner, settings.name, hook)) throw hookNameTaken(settings.name);
    if (secretId !== undefined) await storeSecret(setup, tx, secretId, secret);
    return events;
  };
}

/** Creates the commands about the claim that hooks fill in the tokens of an application. */
function claimCommands(context: FeatureContext): Pick<HookCommands, "setClaim" | "getClaim"> {
  return {
    setClaim: (call, asked, claim) =>
      change(context, call, {
        load: ({ tx }) => getApplication(tx, call.access, asked),
        async decide(application, command) {
          requireCreated(application);
          const { id, kind, details } = application;
          if (kind === "api") throw isNotApplicationOf("one that users log in to", id);
          if ((await findHookClaim(command.tx, id)) === claim) return [];
          if (kind === "oidc" && application.oidc.apiAccess) await requireForApiAccess(command);
          const about = { aggregateId: id, resourceOwner: details.resourceOwner };
          return [{ type: "application.hook_claim.set", ...about, payload: { claim } }];
        },
      }),
    getClaim: (call, asked) =>
      context.database.read(async (tx) => {
        const { id, details } = await getApplication(tx, call.access, asked);
        return { details, claim: await findHookClaim(tx, id) };
      }),
  };
}

/** The owners whose hooks a call reaches: its organization, and the instance for callers who hold the permission there. */
function ownersOf(
  { instanceId }: HookSetup,
  { access, caller }: Pick<Call, "access" | "caller">,
  permission: Permission,
): readonly string[] {
  const isOfInstance = holdsOnInstance(caller.held, permission);
  return isOfInstance ? [access.organizationId, instanceId] : [access.organizationId];
}

function requireForInstance({ instanceId }: HookSetup, { caller }: Call, permission: Permission): void {
  if (!holdsOnInstance(caller.held, permission)) throw permissionDenied(permission, instanceId);
}

function add(
  setup: HookSetup,
  sent: Call,
  asked: {
    readonly settings: HookSettings;
    readonly kind: HookKind;
    readonly isOfInstance: boolean;
    readonly secret: Secret | undefined;
  },
): Promise<AddedWithSecret<HookId>> {
  return write(setup.context, sent, async (command) => {
    const { tx, call } = command;
    if (asked.isOfInstance) requireForInstance(setup, call, "policy.write");
    const owner = asked.isOfInstance ? setup.instanceId : call.access.organizationId;
    const [id, secretId] = [tx.nextId<HookId>(), tx.nextId<HookSecretId>()];
    const { settings, kind } = asked;
    const added = addHook({ id, owner, kind, settings, secretId });
    requireBelowLimit(await countHooks(tx, owner, maxHooks), { type: "hook", max: maxHooks });
    if (await isHookNameTaken(tx, owner, settings.name)) throw hookNameTaken(settings.name);
    const secret = await storeSecret(setup, tx, secretId, asked.secret);
    return { id, details: createdDetails(await command.append([added]), owner), secret };
  });
}

/** Stores the secret that was sent, or a new one, and returns it. */
async function storeSecret(
  { context }: HookSetup,
  tx: WriteTransaction,
  secretId: HookSecretId,
  sent: Secret | undefined,
): Promise<Secret> {
  const secret = sent ?? makeSigningSecret(context.random);
  const id = hookSecretIdOf(secretId);
  const plaintext = Buffer.from(secret.reveal(), "utf8");
  await putSecret(tx, id, context.keyring.encrypt("hook-secret", plaintext, id));
  return secret;
}
