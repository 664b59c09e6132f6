// Hooks are asked from within a transaction, which waits for no network: it is given up, the hooks are called, and it is made again
// with their answers. So what a hook has decided about is always what the transaction decides about.

import { hash } from "node:crypto";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { HookId, InstanceId, UserId } from "../../../kernel/base/ids.ts";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { findSecret } from "../../../kernel/events/secret-store.ts";
import { listInstanceRoles } from "../../held-roles/repository.ts";
import { nextUserId } from "../../people/user/imported-id-repository.ts";
import { type Hook, type HookKind, hookSecretIdOf } from "../hook/hook.ts";
import { listHooksToCall } from "../hook/repository.ts";
import type { HookAdditions, HookOutcome } from "./hook-answer.ts";
import type { HookCall } from "./hook-caller.ts";

/** What hooks are asked, and about whom. */
export interface HookQuestion {
  readonly kind: HookKind;
  /** The organization whose hooks are asked, besides those of the instance. */
  readonly organizationId: string;
  /** The user who logs in; undefined: nobody is known yet. */
  readonly userId?: string | undefined;
  readonly applicationId?: string | undefined;
  /** What the hooks learn. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The same data get the same answer throughout a session. Default: `data`. Without what differs each time a transaction is made. */
  readonly lasting?: HookQuestion["data"];
}

/** A refusal, which is an event once the transaction has ended with it. */
export interface HookRefusal {
  readonly cause: "refused" | "failed";
  /** For the user; may be empty. */
  readonly message: string;
}

/** What the hooks have decided. */
export interface HookDecision {
  readonly refusal: HookRefusal | undefined;
  /** Those of hooks that allow it, first those of the organization, and of each owner the oldest first. */
  readonly additions: readonly (HookAdditions & { readonly hookId: HookId })[];
}

/** The answer of a hook to its question, by a digest of both. */
export type KeptAnswer = readonly [key: string, outcome: HookOutcome];

/** What a transaction, and those that repeat it, know of hooks. */
export interface HookSession {
  readonly instanceId: InstanceId;
  readonly keyring: Pick<Keyring, "decrypt">;
  readonly answers: Map<string, HookOutcome>;
  /** Whether a hook that was not asked yet counts as one that has failed: the question has changed too often meanwhile. */
  readonly isLast: boolean;
  /** What the transaction has decided with hooks; one that begins again decides again. */
  readonly decided: Map<HookKind, DecidedByHooks>;
  /** The id of a user whom the transaction adds, once one was drawn: when it is made again, hooks must find the same user. */
  newUserId?: UserId;
}

/** A decision, and what it was made with. */
export interface DecidedByHooks {
  readonly used: readonly KeptAnswer[];
  /** To be recorded, if the transaction has ended with it. */
  readonly refusal: NewEvent | undefined;
}

/** Ends a transaction that cannot go on without answers. */
export class HooksNeeded extends Error {
  readonly calls: readonly (HookCall & { readonly key: string })[];

  constructor(calls: HooksNeeded["calls"]) {
    super("hooks have to be called first");
    this.name = "HooksNeeded";
    this.calls = calls;
  }
}

/** What is decided where there are no hooks. */
export const noHooks: HookDecision = { refusal: undefined, additions: [] };

/** Draws the id of a user whom a transaction adds: the same each time it is made. */
export async function drawUserId(tx: WriteTransaction, session: HookSession): Promise<UserId> {
  session.newUserId ??= await nextUserId(tx);
  return session.newUserId;
}

/** Says whether there is anything to ask. It takes one look-up. */
export async function hasHooks(
  tx: ReadTransaction,
  { instanceId }: HookSession,
  { kind, organizationId }: Pick<HookQuestion, "kind" | "organizationId">,
): Promise<boolean> {
  return (await listHooksToCall(tx, kind, [instanceId, organizationId])).length > 0;
}

/**
 * Asks the hooks of an organization and of the instance. A user who holds a role on the instance is refused by hooks of the instance
 * alone: nobody else may lock them out. Throws HooksNeeded for answers that are not there.
 */
export async function askHooks(
  tx: ReadTransaction,
  session: HookSession,
  question: HookQuestion,
): Promise<HookDecision> {
  const { instanceId, answers } = session;
  const hooks = await listHooksToCall(tx, question.kind, [instanceId, question.organizationId]);
  if (hooks.length === 0) return noHooks;
  const asked = hooks.map((hook) => ({ hook, key: toKey(hook, question) }));
  const missing = asked.filter(({ key }) => !answers.has(key));
  if (missing.length > 0 && !session.isLast) {
    const calls: HooksNeeded["calls"][number][] = [];
    for (const { hook, key } of missing)
      calls.push({ ...(await toHookCall(tx, session, hook, question.data)), key });
    throw new HooksNeeded(calls);
  }
  const isExempt = question.userId !== undefined && (await listInstanceRoles(tx, question.userId)).length > 0;
  const isOfInstance = ({ details }: Hook) => details.resourceOwner === instanceId;
  const used: KeptAnswer[] = [];
  const additions: HookDecision["additions"][number][] = [];
  for (const { hook, key } of asked.toSorted(
    (left, right) => Number(isOfInstance(left.hook)) - Number(isOfInstance(right.hook)),
  )) {
    const outcome = answers.get(key) ?? { kind: "failed", failure: "UNREACHABLE" };
    used.push([key, outcome]);
    const refusal = isExempt && !isOfInstance(hook) ? undefined : toRefusal(hook, outcome);
    if (refusal !== undefined) {
      session.decided.set(question.kind, { used, refusal: toRefusedEvent(hook, refusal, question) });
      return { refusal, additions: [] };
    }
    if (outcome.kind === "allowed") additions.push({ ...outcome.additions, hookId: hook.id });
  }
  session.decided.set(question.kind, { used, refusal: undefined });
  return { refusal: undefined, additions };
}

/** Makes the call of a hook, with its secrets. */
export async function toHookCall(
  tx: ReadTransaction,
  { keyring }: Pick<HookSession, "keyring">,
  hook: Hook,
  data: HookCall["data"],
): Promise<HookCall> {
  const secrets: Secret[] = [];
  for (const secret of hook.secrets) {
    const id = hookSecretIdOf(secret.id);
    const stored = await findSecret(tx, id);
    if (stored === undefined) throw new Error(`the signing secret ${secret.id} is missing`);
    secrets.push(new Secret(Buffer.from(keyring.decrypt("hook-secret", stored, id)).toString()));
  }
  return { hook, sequence: hook.details.sequence, secrets, data };
}

function toRefusal({ failClosed }: Hook, outcome: HookOutcome): HookRefusal | undefined {
  if (outcome.kind === "refused") return { cause: "refused", message: outcome.message };
  return outcome.kind === "failed" && failClosed ? { cause: "failed", message: "" } : undefined;
}

function toRefusedEvent(
  { id, details }: Hook,
  { cause }: HookRefusal,
  { userId, applicationId }: HookQuestion,
): NewEvent {
  return {
    type: "hook.refused",
    aggregateId: id,
    resourceOwner: details.resourceOwner,
    payload: {
      cause,
      ...(userId === undefined ? {} : { user_id: userId }),
      ...(applicationId === undefined ? {} : { application_id: applicationId }),
    },
  };
}

/** A hook that was changed is another one. */
function toKey({ id, details }: Hook, { kind, data, lasting = data }: HookQuestion): string {
  return hash("sha256", JSON.stringify([id, details.sequence, kind, lasting]), "base64url");
}
