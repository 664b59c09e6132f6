/** Every type of event of every feature, and which of its fields are personal. `older-payloads.ts` has the upgrades of versions. */
import { payloadUpgrades, type Upgrade } from "./older-payloads.ts";
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

/** What is special about a type of event. */
interface EventTraits {
  /** Fields that are encrypted under the key of the user that the aggregate is, or that `personOf` names. */
  readonly personal?: readonly string[];
  /** The field that names the user whose personal fields they are. Absent: the aggregate is the user. */
  readonly personOf?: string;
  /** The event starts the life of a user: their key is made with it. */
  readonly createsKey?: true;
  /**
   * Its id comes from elsewhere and may have been that of a removed object. A command that writes it waits until the rows of that are
   * deleted, and so does a rebuild.
   */
  readonly mayReuseId?: true;
}

/** What the log needs to know of a type of event. */
export interface EventDefinition extends EventTraits {
  /** The version that is written, from 1. */
  readonly version: number;
  /** One for each older version: the first one upgrades version 1 to version 2. */
  readonly upgrades?: readonly Upgrade[];
}

/** A definition for every type. */
export type EventDefinitions = Readonly<Record<EventType, EventDefinition>>;

/** Every type of event that this version of the service writes; most have nothing special. */
const eventTraits = {
  "organization.added": {},
  "organization.changed": {},
  "organization.deactivated": {},
  "organization.reactivated": {},
  "organization.removed": {},
  "membership.added": {},
  "membership.changed": {},
  "membership.limited": {},
  "membership.removed": {},
  "identity_provider.added": {},
  "identity_provider.changed": {},
  "identity_provider.jwt.changed": {},
  "identity_provider.deactivated": {},
  "identity_provider.reactivated": {},
  "identity_provider.removed": {},
  "user.added": { personal: [...profileFields, "phone", "imported_id"], createsKey: true },
  "user.changed": { personal: profileFields },
  "user.deactivated": {},
  "user.reactivated": {},
  "user.locked": {},
  "user.unlocked": {},
  "user.removed": {},
  "user.phone.set": { personal: ["phone"] },
  "user.phone.code.added": {},
  "user.phone.verified": {},
  "user.phone.removed": {},
  "user.phone.delivery.failed": {},
  "user.email.set": { personal: ["email"] },
  "user.email.code.added": {},
  "user.email.verified": {},
  "user.email.unverified": {},
  "user.email.delivery.failed": {},
  "user.password.set": {},
  "user.password.removed": {},
  "user.password.check.failed": {},
  "user.password.reset.requested": {},
  "user.invitation.sent": {},
  "user.invitation.ended": {},
  "user.u2f.added": {},
  "user.u2f.verified": { personal: ["name"] },
  "user.u2f.removed": {},
  "user.u2f.questioned": {},
  "user.u2f.kept": {},
  "user.u2f.counter.regressed": {},
  "user.passkey.added": {},
  "user.passkey.verified": { personal: ["name"] },
  "user.passkey.removed": {},
  "user.passkey.questioned": {},
  "user.passkey.kept": {},
  "user.passkey.backup.changed": {},
  "user.passkey.counter.regressed": {},
  "user.totp.added": {},
  "user.totp.verified": {},
  "user.totp.removed": {},
  "user.totp.questioned": {},
  "user.totp.kept": {},
  "user.totp.check.failed": {},
  "user.code_factor.added": {},
  "user.code_factor.removed": {},
  "user.code_factor.check.failed": {},
  "user.recovery_codes.added": {},
  "user.recovery_codes.used": {},
  "user.recovery_codes.removed": {},
  "user.recovery_codes.questioned": {},
  "user.recovery_codes.kept": {},
  "user.idp_link.added": { personal: ["external_user_id", "external_username"] },
  "user.idp_link.removed": {},
  "user.idp_link.questioned": {},
  "user.idp_link.kept": {},
  "user.token.added": {},
  "user.token.removed": {},
  "user.key.added": {},
  "user.key.removed": {},
  "user.secret.set": {},
  "user.secret.removed": {},
  "project.added": {},
  "project.changed": {},
  "project.deactivated": {},
  "project.reactivated": {},
  "project.removed": {},
  "project.role.added": {},
  "project.role.changed": {},
  "project.role.removed": {},
  "project_grant.added": {},
  "project_grant.changed": {},
  "project_grant.deactivated": {},
  "project_grant.reactivated": {},
  "project_grant.removed": {},
  "user_grant.added": {},
  "user_grant.changed": {},
  "user_grant.deactivated": {},
  "user_grant.reactivated": {},
  "user_grant.removed": {},
  "group.added": {},
  "group.changed": {},
  "group.removed": {},
  "group.member.added": {},
  "group.member.removed": {},
  "group_grant.added": {},
  "group_grant.changed": {},
  "group_grant.deactivated": {},
  "group_grant.reactivated": {},
  "group_grant.removed": {},
  "application.added": {},
  "application.changed": {},
  "application.saml.changed": {},
  "application.saml.settings.changed": {},
  "application.oidc.added": {},
  "application.oidc.changed": {},
  "application.oidc.secret.set": {},
  "application.oidc.secret.removed": {},
  "application.api.added": {},
  "application.api.changed": {},
  "application.api.secret.set": {},
  "application.api.secret.removed": {},
  "application.external.added": { mayReuseId: true },
  "application.external.changed": {},
  "application.key.added": {},
  "application.key.removed": {},
  "application.deactivated": {},
  "application.reactivated": {},
  "application.removed": {},
  "application.metadata.fetched": {},
  "application.metadata.failed": {},
  "application.logout_token.dropped": {},
  "signing_key.added": {},
  "signing_key.activated": {},
  "signing_key.retired": {},
  "signing_key.removed": {},
  "session.added": { personal: ["user_agent", "remote_address"], personOf: "user_id" },
  "session.checked": {},
  "session.terminated": {},
  "authorization.granted": {},
  "authorization.confirmed": {},
  "authorization.unconfirmed": {},
  "authorization.revoked": {},
  "login_policy.added": {},
  "login_policy.changed": {},
  "login_policy.removed": {},
  "login_policy.idp.added": {},
  "login_policy.idp.removed": {},
  "label_policy.added": {},
  "label_policy.changed": {},
  "label_policy.activated": {},
  "label_policy.removed": {},
  "custom_texts.added": {},
  "custom_texts.changed": {},
  "custom_texts.removed": {},
  "project.claims.set": {},
  "project.claim.left_out": {},
  "application.claims.set": {},
  "application.claim.left_out": {},
  "organization.metadata.shared": {},
  "user.metadata.set": { personal: ["entries"] },
  "user.metadata.removed": { personal: ["key"] },
  "organization.metadata.set": {},
  "organization.metadata.removed": {},
  "project.metadata.set": {},
  "project.metadata.removed": {},
  "application.metadata.set": {},
  "application.metadata.removed": {},
  "group.metadata.set": {},
  "group.metadata.removed": {},
  "external_clients.set": {},
  "target.added": {},
  "target.changed": {},
  "target.secret.added": {},
  "target.secret.removed": {},
  "target.deactivated": {},
  "target.reactivated": {},
  "target.gone": {},
  "target.redelivery.requested": {},
  "target.removed": {},
  "hook.added": {},
  "hook.changed": {},
  "hook.secret.added": {},
  "hook.secret.removed": {},
  "hook.deactivated": {},
  "hook.reactivated": {},
  "hook.refused": {},
  "hook.removed": {},
  "application.hook_claim.set": {},
  "instance.exported": {},
} as const satisfies Readonly<Record<EventType, EventTraits>>;

const upgradesByType: Readonly<Record<string, readonly Upgrade[]>> = payloadUpgrades;

/** The definition of every type, with the version that follows from its upgrades. */
export const eventDefinitions = Object.fromEntries(
  Object.entries<EventTraits>(eventTraits).map(([type, traits]) => {
    const upgrades = upgradesByType[type] ?? [];
    return [type, { ...traits, version: upgrades.length + 1, upgrades }];
  }),
) as EventDefinitions; // the table has every type

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

type PersonalKey<T extends EventType> = (typeof eventTraits)[T] extends {
  personal: readonly (infer K)[];
}
  ? K
  : never;

/** A payload as it is read back: personal fields are absent once the key of the user is destroyed. */
export type RecordedPayload<T extends EventType> = Omit<EventPayloads[T], PersonalKey<T> & string> &
  Partial<Pick<EventPayloads[T], PersonalKey<T> & keyof EventPayloads[T]>>;
