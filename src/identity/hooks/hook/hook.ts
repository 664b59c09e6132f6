import type { Details } from "../../../kernel/base/details.ts";
import type { HookId, HookSecretId } from "../../../kernel/base/ids.ts";
import { requireVisible } from "../../../kernel/base/names/visible-name.ts";
import {
  alreadyExists,
  type FieldViolation,
  fieldInvalid,
  notFound,
  type Problem,
} from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { isReservedClaim } from "../../claim-mappings/reserved-claims.ts";
import { lastSigningSecret } from "../../signing-secrets/signing-secret.ts";

/** When a hook is called; names of the values of the enum HookKind. */
export type HookKind = "BEFORE_REGISTRATION" | "AFTER_EXTERNAL_LOGIN" | "BEFORE_TOKEN";

/** What callers choose of a hook. */
export interface HookSettings {
  /** Unique among the hooks of the owner. */
  readonly name: string;
  readonly url: string;
  /** For a whole call. */
  readonly timeoutMs: number;
  /** Whether a login is refused while the hook fails. */
  readonly failClosed: boolean;
  /** The keys of metadata that it may set. */
  readonly metadataKeys: readonly string[];
}

/** A secret that calls are signed with; its value is in the table of secrets. */
export interface HookSecret {
  readonly id: HookSecretId;
  /** Microseconds since 1970. */
  readonly creationDate: number;
}

/** A URL that is asked during logins. */
export interface Hook extends HookSettings {
  readonly id: HookId;
  /** The owner is an organization, or the instance. */
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
  readonly kind: HookKind;
  /** Oldest first: one or two. */
  readonly secrets: readonly HookSecret[];
}

/** Maximum number of hooks of an organization, and of the instance. */
export const maxHooks = 20;

/** How long a login waits unless somebody chooses otherwise. */
export const defaultTimeoutMs = 500;

/** Decides to add a hook. Raises FIELD_INVALID for a name with invisible characters, and for keys of metadata that the kind never sets. */
export function addHook(input: {
  readonly id: HookId;
  readonly owner: string;
  readonly kind: HookKind;
  readonly settings: HookSettings;
  readonly secretId: HookSecretId;
}): NewEvent {
  const { id, owner, kind, settings, secretId } = input;
  requireVisible({ name: settings.name });
  requireKeysOf(kind, settings);
  const payload = { ...toPayload(settings), kind, secret_id: secretId };
  return { type: "hook.added", aggregateId: id, resourceOwner: owner, payload };
}

/**
 * Decides to replace the settings: an event, or none when nothing changes. With another URL a secret must come, which replaces all
 * former ones: a receiver that nobody has chosen for a secret must get no proof of it. Raises FIELD_INVALID.
 */
export function updateHook(
  hook: Hook,
  { settings, secretId }: { readonly settings: HookSettings; readonly secretId: HookSecretId | undefined },
): readonly NewEvent[] {
  requireVisible({ name: settings.name }, { name: hook.name });
  requireKeysOf(hook.kind, settings);
  if (settings.url !== hook.url && secretId === undefined)
    throw fieldInvalid(
      "signing_secret",
      "must be sent with another URL, and replaces the former signing secrets",
    );
  const isSame = JSON.stringify(toPayload(settings)) === JSON.stringify(toPayload(hook));
  if (isSame && secretId === undefined) return [];
  const secret = secretId === undefined ? {} : { secret_id: secretId };
  return [{ type: "hook.changed", ...aggregateOf(hook), payload: { ...toPayload(settings), ...secret } }];
}

/** Decides to add a second signing secret. */
export function addHookSecret(hook: Hook, secretId: HookSecretId): readonly NewEvent[] {
  return [{ type: "hook.secret.added", ...aggregateOf(hook), payload: { secret_id: secretId } }];
}

/** Decides to remove a signing secret. Raises NOT_FOUND, LAST_SIGNING_SECRET. */
export function removeHookSecret(hook: Hook, secretId: string): readonly NewEvent[] {
  const secret = hook.secrets.find(({ id }) => id === secretId);
  if (secret === undefined) throw notFound("hook_secret", secretId);
  if (hook.secrets.length === 1) throw lastSigningSecret(hook.id);
  return [{ type: "hook.secret.removed", ...aggregateOf(hook), payload: { secret_id: secret.id } }];
}

/** Decides to deactivate a hook: an event, or none when it is inactive. */
export function deactivateHook(hook: Hook): readonly NewEvent[] {
  if (hook.state === "INACTIVE") return [];
  return [{ type: "hook.deactivated", ...aggregateOf(hook), payload: {} }];
}

/** Decides to reactivate a hook: an event, or none when it is active. */
export function reactivateHook(hook: Hook): readonly NewEvent[] {
  if (hook.state === "ACTIVE") return [];
  return [{ type: "hook.reactivated", ...aggregateOf(hook), payload: {} }];
}

/** Decides to remove a hook, with its signing secrets. */
export function removeHook(hook: Hook): readonly NewEvent[] {
  return [{ type: "hook.removed", ...aggregateOf(hook), payload: {} }];
}

/** Finds what is wrong with the name of the claim that hooks of an application fill. Empty: they fill none. */
export function checkHookClaim(claim: string): readonly FieldViolation[] {
  if (claim === "") return [];
  if (!/^[\x21-\x7e]+$/.test(claim))
    return [{ field: "claim", description: "must be printable ASCII characters without spaces" }];
  return isReservedClaim(claim) ? [{ field: "claim", description: "is reserved" }] : [];
}

/** Returns the id under which the table of secrets has a signing secret of a hook. */
export function hookSecretIdOf(id: string): string {
  return `hook-secret:${id}`;
}

/** Returns the problem of a hook that does not exist or belongs to another organization. */
export function hookNotFound(id: string): Problem {
  return notFound("hook", id);
}

/** Returns the problem of a name that another hook of the owner has. */
export function hookNameTaken(name: string): Problem {
  return alreadyExists("hook", name);
}

function requireKeysOf(kind: HookKind, { metadataKeys }: HookSettings): void {
  if (metadataKeys.length > 0 && kind !== "AFTER_EXTERNAL_LOGIN")
    throw fieldInvalid("metadata_keys", "must be empty for a hook that sets no metadata");
}

function toPayload({ name, url, timeoutMs, failClosed, metadataKeys }: HookSettings) {
  return {
    name,
    url,
    timeout_ms: timeoutMs,
    fail_closed: failClosed,
    metadata_keys: [...new Set(metadataKeys)],
  };
}

function aggregateOf({ id, details }: Hook) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}
