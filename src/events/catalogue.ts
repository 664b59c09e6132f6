/** Every type of event of every feature: its version, how older versions are upgraded, and which fields are personal. */
import {
  oidcApplicationAddedUpgrades,
  oidcApplicationChangedUpgrades,
  organizationRemovedUpgrades,
  sessionAddedUpgrades,
  sessionCheckedUpgrades,
  signingKeyActivatedUpgrades,
  signingKeyAddedUpgrades,
  signingKeyRemovedUpgrades,
  signingKeyRetiredUpgrades,
  tokenRemovedUpgrades,
  u2fVerifiedUpgrades,
  type Upgrade,
  userAddedUpgrades,
  userChangedUpgrades,
  userLockedUpgrades,
  userRemovedUpgrades,
} from "./older-payloads.ts";
import type { AggregateType, EventPayloads, EventType } from "./payloads.ts";

const profileFields = [
  "username",
  "given_name",
  "family_name",
  "display_name",
  "preferred_language",
  "email",
  "name",
  "description",
] as const;

/** What the log needs to know of a type of event. */
export interface EventDefinition {
  /** The version that is written, from 1. */
  readonly version: number;
  /** Fields that are encrypted under the key of the user whose aggregate it is, or whom `personOf` names. */
  readonly personal?: readonly string[];
  /** The field that names the user whose personal fields they are. Absent: the aggregate is the user. */
  readonly personOf?: string;
  /** The event starts the life of a user: their key is made with it. */
  readonly createsKey?: true;
  /** One for each older version: the first one upgrades version 1 to version 2. */
  readonly upgrades?: readonly Upgrade[];
}

/** The definition of every type. */
export type EventDefinitions = Readonly<Record<EventType, EventDefinition>>;

/** Every type of event that this version of the service writes. */
export const eventDefinitions = {
  "organization.added": { version: 1 },
  "organization.changed": { version: 1 },
  "organization.deactivated": { version: 1 },
  "organization.reactivated": { version: 1 },
  "organization.removed": { version: 2, upgrades: organizationRemovedUpgrades },
  "membership.added": { version: 1 },
  "membership.changed": { version: 1 },
  "membership.removed": { version: 1 },
  "identity_provider.added": { version: 1 },
  "identity_provider.changed": { version: 1 },
  "identity_provider.jwt.changed": { version: 1 },
  "identity_provider.deactivated": { version: 1 },
  "identity_provider.reactivated": { version: 1 },
  "identity_provider.removed": { version: 1 },
  "user.added": {
    version: 2,
    personal: [...profileFields, "phone"],
    createsKey: true,
    upgrades: userAddedUpgrades,
  },
  "user.changed": { version: 2, personal: profileFields, upgrades: userChangedUpgrades },
  "user.deactivated": { version: 1 },
  "user.reactivated": { version: 1 },
  "user.locked": { version: 2, upgrades: userLockedUpgrades },
  "user.unlocked": { version: 1 },
  "user.removed": { version: 2, upgrades: userRemovedUpgrades },
  "user.phone.set": { version: 1, personal: ["phone"] },
  "user.phone.code.added": { version: 1 },
  "user.phone.verified": { version: 1 },
  "user.phone.removed": { version: 1 },
  "user.phone.delivery.failed": { version: 1 },
  "user.email.set": { version: 1, personal: ["email"] },
  "user.email.code.added": { version: 1 },
  "user.email.verified": { version: 1 },
  "user.email.unverified": { version: 1 },
  "user.email.delivery.failed": { version: 1 },
  "user.password.set": { version: 1 },
  "user.password.removed": { version: 1 },
  "user.password.check.failed": { version: 1 },
  "user.password.reset.requested": { version: 1 },
  "user.u2f.added": { version: 1 },
  "user.u2f.verified": { version: 2, personal: ["name"], upgrades: u2fVerifiedUpgrades },
  "user.u2f.removed": { version: 1 },
  "user.u2f.questioned": { version: 1 },
  "user.u2f.kept": { version: 1 },
  "user.u2f.counter.regressed": { version: 1 },
  "user.passkey.added": { version: 1 },
  "user.passkey.verified": { version: 1, personal: ["name"] },
  "user.passkey.removed": { version: 1 },
  "user.passkey.questioned": { version: 1 },
  "user.passkey.kept": { version: 1 },
  "user.passkey.backup.changed": { version: 1 },
  "user.passkey.counter.regressed": { version: 1 },
  "user.totp.added": { version: 1 },
  "user.totp.verified": { version: 1 },
  "user.totp.removed": { version: 1 },
  "user.totp.questioned": { version: 1 },
  "user.totp.kept": { version: 1 },
  "user.totp.check.failed": { version: 1 },
  "user.recovery_codes.added": { version: 1 },
  "user.recovery_codes.used": { version: 1 },
  "user.recovery_codes.removed": { version: 1 },
  "user.recovery_codes.questioned": { version: 1 },
  "user.recovery_codes.kept": { version: 1 },
  "user.idp_link.added": { version: 1, personal: ["external_user_id", "external_username"] },
  "user.idp_link.removed": { version: 1 },
  "user.idp_link.questioned": { version: 1 },
  "user.idp_link.kept": { version: 1 },
  "user.token.added": { version: 1 },
  "user.token.removed": { version: 2, upgrades: tokenRemovedUpgrades },
  "user.key.added": { version: 1 },
  "user.key.removed": { version: 1 },
  "user.secret.set": { version: 1 },
  "user.secret.removed": { version: 1 },
  "project.added": { version: 1 },
  "project.changed": { version: 1 },
  "project.deactivated": { version: 1 },
  "project.reactivated": { version: 1 },
  "project.removed": { version: 1 },
  "project.role.added": { version: 1 },
  "project.role.changed": { version: 1 },
  "project.role.removed": { version: 1 },
  "project_grant.added": { version: 1 },
  "project_grant.changed": { version: 1 },
  "project_grant.deactivated": { version: 1 },
  "project_grant.reactivated": { version: 1 },
  "project_grant.removed": { version: 1 },
  "user_grant.added": { version: 1 },
  "user_grant.changed": { version: 1 },
  "user_grant.deactivated": { version: 1 },
  "user_grant.reactivated": { version: 1 },
  "user_grant.removed": { version: 1 },
  "application.added": { version: 1 },
  "application.changed": { version: 1 },
  "application.saml.changed": { version: 1 },
  "application.saml.settings.changed": { version: 1 },
  "application.oidc.added": { version: 2, upgrades: oidcApplicationAddedUpgrades },
  "application.oidc.changed": { version: 2, upgrades: oidcApplicationChangedUpgrades },
  "application.oidc.secret.set": { version: 1 },
  "application.oidc.secret.removed": { version: 1 },
  "application.api.added": { version: 1 },
  "application.api.changed": { version: 1 },
  "application.api.secret.set": { version: 1 },
  "application.api.secret.removed": { version: 1 },
  "application.key.added": { version: 1 },
  "application.key.removed": { version: 1 },
  "application.deactivated": { version: 1 },
  "application.reactivated": { version: 1 },
  "application.removed": { version: 1 },
  "application.metadata.fetched": { version: 1 },
  "application.metadata.failed": { version: 1 },
  "application.logout_token.dropped": { version: 1 },
  "signing_key.added": { version: 2, upgrades: signingKeyAddedUpgrades },
  "signing_key.activated": { version: 2, upgrades: signingKeyActivatedUpgrades },
  "signing_key.retired": { version: 2, upgrades: signingKeyRetiredUpgrades },
  "signing_key.removed": { version: 2, upgrades: signingKeyRemovedUpgrades },
  "session.added": {
    version: 2,
    personal: ["user_agent", "remote_address"],
    personOf: "user_id",
    upgrades: sessionAddedUpgrades,
  },
  "session.checked": { version: 2, upgrades: sessionCheckedUpgrades },
  "session.terminated": { version: 1 },
  "authorization.granted": { version: 1 },
  "authorization.confirmed": { version: 1 },
  "authorization.revoked": { version: 1 },
  "login_policy.added": { version: 1 },
  "login_policy.changed": { version: 1 },
  "login_policy.removed": { version: 1 },
  "login_policy.idp.added": { version: 1 },
  "login_policy.idp.removed": { version: 1 },
} as const satisfies EventDefinitions;

/** Returns the user under whose key the personal fields of an event stand. `open` is what anybody may read of its payload. */
export function personOf(
  { personOf: field }: Pick<EventDefinition, "personOf">,
  { aggregateId, open }: { readonly aggregateId: string; readonly open: object },
): string {
  if (field === undefined) return aggregateId;
  return String((open as Readonly<Record<string, unknown>>)[field]); // the payload has that field
}

/** The names of all types, in the order of the catalogue. */
export const eventTypes = Object.keys(eventDefinitions) as readonly EventType[]; // it has no other keys

/** Finds the definition of a type by its name. Throws for a type that this version of the service does not know. */
export function definitionOf(
  type: string,
  definitions: EventDefinitions = eventDefinitions,
): EventDefinition {
  if (!Object.hasOwn(definitions, type)) throw new Error(`the event type ${type} is not known`);
  return definitions[type as EventType]; // own key, so it is a type
}

/**
 * Puts a payload that was recorded in that version into the form of today's, one version after the other. Throws for a version
 * that is not known: a newer version of the service wrote it, or it was changed.
 */
export function upgradePayload(
  { version, upgrades = [] }: EventDefinition,
  from: number,
  payload: object,
): object {
  if (!(from >= 1 && from <= version)) throw new Error(`version ${from} of its payload is not known`);
  let upgraded = payload;
  for (const upgrade of upgrades.slice(from - 1)) upgraded = upgrade(upgraded as never); // of that version
  return upgraded;
}

/** Returns the aggregate that events of the type belong to: the part before the first dot. */
export function aggregateTypeOf(type: EventType): AggregateType {
  return type.slice(0, type.indexOf(".")) as AggregateType; // every key of EventPayloads starts with one
}

type PersonalKey<T extends EventType> = (typeof eventDefinitions)[T] extends {
  personal: readonly (infer K)[];
}
  ? K
  : never;

/** A payload as it is read back: personal fields are absent once the key of the user is destroyed. */
export type RecordedPayload<T extends EventType> = Omit<EventPayloads[T], PersonalKey<T> & string> &
  Partial<Pick<EventPayloads[T], PersonalKey<T> & keyof EventPayloads[T]>>;
