import { requireVisible } from "../../../kernel/base/names/visible-name.ts";
import type { Details } from "../../../kernel/base/details.ts";
import type { TargetId, TargetSecretId, TokenId } from "../../../kernel/base/ids.ts";
import {
  alreadyExists,
  type FieldViolation,
  fieldInvalid,
  notFound,
  type Problem,
} from "../../../kernel/base/problem.ts";
import { eventTypes } from "../../../kernel/events/catalogue.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { EventType } from "../../../kernel/events/payloads.ts";
import type { TargetTokenPayload } from "../../../kernel/events/delivery-payloads.ts";
import { lastSigningSecret } from "../../signing-secrets/signing-secret.ts";

/** What callers choose of a target. */
export interface TargetSettings {
  /** Unique among the targets of the owner. */
  readonly name: string;
  readonly url: string;
  /** Types of events, or their beginnings up to a dot. Empty = all types. */
  readonly eventTypes: readonly string[];
}

/** A secret that deliveries are signed with; its value is in the table of secrets. */
export interface TargetSecret {
  readonly id: TargetSecretId;
  /** Microseconds since 1970. */
  readonly creationDate: number;
}

/** A URL to which events are delivered. */
export interface Target extends TargetSettings {
  readonly id: TargetId;
  /** The owner is an organization, or the instance. */
  readonly details: Details;
  /** What somebody has chosen, or GONE once the receiver has answered 410. */
  readonly state: "ACTIVE" | "INACTIVE" | "GONE";
  /** The token that decides what is delivered. It may be gone. */
  readonly tokenId: TokenId;
  /** Oldest first: one or two. */
  readonly secrets: readonly TargetSecret[];
}

/** Maximum number of targets of an organization, and of the instance. */
export const maxTargets = 100;

/** How far back events are delivered again: 30 days. */
const redeliveryMs = 30 * 86_400_000;

/** Decides to add a target. Raises FIELD_INVALID for a name with invisible characters. */
export function addTarget(input: {
  readonly id: TargetId;
  readonly owner: string;
  readonly settings: TargetSettings;
  readonly secretId: TargetSecretId;
  readonly token: TargetTokenPayload;
}): NewEvent {
  const { id, owner, settings, secretId, token } = input;
  requireVisible({ name: settings.name });
  const payload = { ...toPayload(settings), secret_id: secretId, ...token };
  return { type: "target.added", aggregateId: id, resourceOwner: owner, payload };
}

/**
 * Decides to replace the settings: an event, or none when nothing changes. With another URL a secret must come, which replaces all
 * former ones: a receiver that nobody has chosen for a secret must get no proof of it. Raises FIELD_INVALID.
 */
export function updateTarget(
  target: Target,
  {
    settings,
    secretId,
  }: { readonly settings: TargetSettings; readonly secretId: TargetSecretId | undefined },
  token: TargetTokenPayload,
): readonly NewEvent[] {
  requireVisible({ name: settings.name }, { name: target.name });
  if (settings.url !== target.url && secretId === undefined)
    throw fieldInvalid(
      "signing_secret",
      "must be sent with another URL, and replaces the former signing secrets",
    );
  const isSame = JSON.stringify(toPayload(settings)) === JSON.stringify(toPayload(target));
  if (isSame && secretId === undefined) return [];
  const isOfName =
    secretId === undefined && JSON.stringify(settings.eventTypes) === JSON.stringify(target.eventTypes);
  const payload = {
    ...toPayload(settings),
    ...(secretId === undefined ? {} : { secret_id: secretId }),
    ...(isOfName ? {} : token),
  };
  return [{ type: "target.changed", ...aggregateOf(target), payload }];
}

/** Decides to add a second signing secret. */
export function addTargetSecret(
  target: Target,
  secretId: TargetSecretId,
  token: TargetTokenPayload,
): readonly NewEvent[] {
  return [
    { type: "target.secret.added", ...aggregateOf(target), payload: { secret_id: secretId, ...token } },
  ];
}

/** Decides to remove a signing secret. Raises NOT_FOUND, LAST_SIGNING_SECRET. */
export function removeTargetSecret(
  target: Target,
  secretId: string,
  token: TargetTokenPayload,
): readonly NewEvent[] {
  const secret = target.secrets.find(({ id }) => id === secretId);
  if (secret === undefined) throw notFound("target_secret", secretId);
  if (target.secrets.length === 1) throw lastSigningSecret(target.id);
  const payload = { secret_id: secret.id, ...token };
  return [{ type: "target.secret.removed", ...aggregateOf(target), payload }];
}

/** Decides to deactivate a target: an event, or none when it is inactive. */
export function deactivateTarget(target: Target): readonly NewEvent[] {
  if (target.state === "INACTIVE") return [];
  return [{ type: "target.deactivated", ...aggregateOf(target), payload: {} }];
}

/** Decides to reactivate a target: an event, or none when events go to it. */
export function reactivateTarget(
  target: Target,
  isCreatorGone: boolean,
  token: TargetTokenPayload,
): readonly NewEvent[] {
  if (target.state === "ACTIVE" && !isCreatorGone) return [];
  return [{ type: "target.reactivated", ...aggregateOf(target), payload: token }];
}

/** Decides that the receiver wants no more events. */
export function endTarget(target: Target): NewEvent {
  return { type: "target.gone", ...aggregateOf(target), payload: {} };
}

/** Decides to deliver events again. Raises FIELD_INVALID for a sequence that is too far back. */
export function redeliver(target: Target, fromSequence: number, nowMs: number): readonly NewEvent[] {
  if (fromSequence < (nowMs - redeliveryMs) * 1000)
    throw fieldInvalid("from_sequence", "must not be more than 30 days back");
  const payload = { from_sequence: String(fromSequence) };
  return [{ type: "target.redelivery.requested", ...aggregateOf(target), payload }];
}

/** Decides to remove a target, with its signing secrets. */
export function removeTarget(target: Target): readonly NewEvent[] {
  return [{ type: "target.removed", ...aggregateOf(target), payload: {} }];
}

/** Lists the types of events that go to a target. */
export function typesOf(eventTypesOfTarget: readonly string[]): readonly EventType[] {
  if (eventTypesOfTarget.length === 0) return eventTypes;
  return eventTypes.filter((type) => eventTypesOfTarget.some((start) => isBelow(type, start)));
}

/** Finds types of events that do not exist: a misspelt one would never be delivered. */
export function checkEventTypes(asked: readonly string[]): readonly FieldViolation[] {
  return asked.flatMap((start, index) =>
    eventTypes.some((type) => isBelow(type, start))
      ? []
      : [
          {
            field: `event_types[${index}]`,
            description: "must be a type of event, such as user.added, or its beginning up to a dot",
          },
        ],
  );
}

function isBelow(type: string, start: string): boolean {
  return type === start || type.startsWith(`${start}.`);
}

/** Returns the id under which the table of secrets has a signing secret. */
export function signingSecretIdOf(id: string): string {
  return `target-secret:${id}`;
}

/** Returns the problem of a target that does not exist or belongs to another organization. */
export function targetNotFound(id: string): Problem {
  return notFound("target", id);
}

/** Returns the problem of a name that another target of the owner has. */
export function targetNameTaken(name: string): Problem {
  return alreadyExists("target", name);
}

function toPayload({ name, url, eventTypes: types }: TargetSettings) {
  return { name, url, event_types: [...new Set(types)] };
}

function aggregateOf({ id, details }: Target) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}
