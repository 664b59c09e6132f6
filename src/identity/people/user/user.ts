import type { Details } from "../../../kernel/base/details.ts";
import { type OrganizationId, toId, type UserId } from "../../../kernel/base/ids.ts";
import { type HeldRoles, holdsOnOrganization } from "../../../kernel/base/permission.ts";
import {
  alreadyExists,
  fieldInvalid,
  notFound,
  type Problem,
  stateConflict,
  wrongKind,
} from "../../../kernel/base/problem.ts";
import { requireVisible } from "../../../kernel/base/names/visible-name.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { SigningAlgorithm } from "../../signing-keys/signing-key.ts";
import { digestImportedId } from "./imported-id.ts";
import type { Invitation } from "./open-invitation.ts";

/** Only an ACTIVE user can call. Unlocking undoes locking, reactivating undoes the rest. */
export type UserState = "ACTIVE" | "INACTIVE" | "LOCKED";

/** The data of a new human user. Absent texts are empty. */
export interface HumanProfile {
  readonly username: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly displayName: string;
  readonly preferredLanguage: string;
  readonly email: string;
  /** E.164; empty without phone. */
  readonly phone: string;
}

/** What access tokens look like: BEARER is opaque, JWT can be read by everybody. */
export type AccessTokenType = "BEARER" | "JWT";

/** The data of a new service user. */
export interface ServiceProfile {
  readonly username: string;
  readonly name: string;
  readonly description: string;
  readonly accessTokenType: AccessTokenType;
  /** What ID tokens and JWT access tokens of the user are signed with. */
  readonly signingAlgorithm: SigningAlgorithm;
  /** Whether the addresses that the user sets by SCIM are vouched for. */
  readonly trustMail: boolean;
}

interface UserBase {
  readonly id: UserId;
  readonly details: Details;
  readonly state: UserState;
}

/** A human user. Personal fields are empty once the key of the user is destroyed. */
export interface HumanUser extends UserBase, HumanProfile {
  readonly kind: "human";
  /** The id that the user had in another system; empty without one. */
  readonly importedId: string;
  readonly isEmailVerified: boolean;
  readonly isPhoneVerified: boolean;
  readonly hasPassword: boolean;
  /** Whether the user must set another password at the next login. */
  readonly isPasswordChangeRequired: boolean;
  /** When the password was set, in microseconds since 1970; undefined without one. */
  readonly passwordChangeDate: number | undefined;
  /** Undefined without one. */
  readonly invitation: Invitation | undefined;
}

/** A program that calls the API. */
export interface ServiceUser extends UserBase, ServiceProfile {
  readonly kind: "service";
}

/** A person or a program. */
export type User = HumanUser | ServiceUser;

/** Returns the name by which others know a person: the one that was chosen, or that of the family with the given one. */
export function fullNameOf({
  displayName,
  givenName,
  familyName,
}: Pick<HumanProfile, "displayName" | "givenName" | "familyName">): string {
  return displayName === "" ? `${givenName} ${familyName}`.trim() : displayName;
}

/** Decides to add a human user; email and phone are unverified. Raises FIELD_INVALID for names with invisible characters. */
export function addHumanUser(
  id: UserId,
  organizationId: OrganizationId,
  profile: HumanProfile & { readonly importedId?: string },
): NewEvent {
  const { importedId = "" } = profile;
  requireVisible(humanNames(profile));
  return {
    type: "user.added",
    aggregateId: id,
    resourceOwner: organizationId,
    payload: {
      kind: "human",
      ...toHumanPayload(profile),
      ...(profile.phone === "" ? {} : { phone: profile.phone }),
      ...(importedId === ""
        ? {}
        : { imported_id: importedId, imported_id_digest: digestImportedId(importedId) }),
    },
  };
}

/** Decides to add a service user. Raises FIELD_INVALID for names with invisible characters. */
export function addServiceUser(
  id: UserId,
  organizationId: OrganizationId,
  profile: ServiceProfile,
): NewEvent {
  requireVisible(serviceNames(profile));
  return {
    type: "user.added",
    aggregateId: id,
    resourceOwner: organizationId,
    payload: { kind: "service", ...toServicePayload(profile) },
  };
}

/** The fields that an update of a human user replaces; the phone has calls of its own. */
export type HumanUpdate = Omit<HumanProfile, "phone">;

/** Decides to update a human user; no events when nothing changes. Raises FIELD_INVALID for new names with invisible characters. */
export function updateHumanUser(user: HumanUser, update: HumanUpdate): readonly NewEvent[] {
  requireVisible(humanNames(update), humanNames(user));
  const payload = toHumanPayload(update);
  if (JSON.stringify(payload) === JSON.stringify(toHumanPayload(user))) return [];
  return [{ ...aggregateOf(user), type: "user.changed", payload }];
}

/** Decides to update a service user; no events when nothing changes. Raises what `updateHumanUser` raises. */
export function updateServiceUser(user: ServiceUser, update: ServiceProfile): readonly NewEvent[] {
  requireVisible(serviceNames(update), serviceNames(user));
  const payload = toServicePayload(update);
  if (JSON.stringify(payload) === JSON.stringify(toServicePayload(user))) return [];
  return [{ ...aggregateOf(user), type: "user.changed", payload }];
}

/** Checks whether the update changes a field that users log in or recover their account with. */
export function isCredentialChange(
  user: { readonly username: string; readonly email?: string },
  update: { readonly username: string; readonly email?: string },
): boolean {
  return user.username !== update.username || user.email !== update.email;
}

/** A change of the state of a user. */
export type UserAction = "deactivate" | "reactivate" | "lock" | "unlock";

/**
 * Decides to change the state of the user; no events when the user is in that state already, but for a lock of a user whom wrong
 * passwords have locked: only that ends sessions and tokens for good. Raises STATE_CONFLICT when the action is not possible in the
 * present state.
 */
export function changeUserState(
  user: User,
  action: UserAction,
  { isLockedByTries = false }: { readonly isLockedByTries?: boolean } = {},
): readonly NewEvent[] {
  const { to, from, type, hint } = transitions[action];
  const event: NewEvent = { ...aggregateOf(user), type, payload: {} };
  if (user.state === to) return isLockedByTries && action === "lock" ? [event] : [];
  if (!from.includes(user.state)) {
    const message = `the user is ${user.state.toLowerCase()}; ${hint}`;
    throw stateConflict({ type: "user", name: user.id }, user.state, message);
  }
  return [event];
}

/** Checks whether the user can authenticate now but not after the action. */
export function endsAccess(user: User, action: UserAction | "remove"): boolean {
  return user.state === "ACTIVE" && (action === "remove" || transitions[action].to !== "ACTIVE");
}

/** Decides to remove the user and everything that belongs to the user. */
export function removeUser(user: User): NewEvent {
  return { ...aggregateOf(user), type: "user.removed", payload: {} };
}

/** Returns the user as a human one. Raises WRONG_KIND for a service user. */
export function requireHuman(user: User): HumanUser {
  if (user.kind === "human") return user;
  throw wrongKind("a service user has neither email, phone nor second factors; name a human user", {
    type: "user",
    name: user.id,
  });
}

/** Returns the user as a service user. Raises WRONG_KIND for a human one. */
export function requireService(user: User): ServiceUser {
  if (user.kind === "service") return user;
  throw wrongKind("a human user has other fields, and neither keys nor a secret; name a service user", {
    type: "user",
    name: user.id,
  });
}

/**
 * Says whether a user is in that organization or in one where the caller holds `user.read`. `home` is the organization of the user,
 * undefined when there is no such user.
 */
export function isInReach(
  held: readonly HeldRoles[],
  {
    organizationId,
    home,
  }: { readonly organizationId: OrganizationId | undefined; readonly home: OrganizationId | undefined },
): boolean {
  return home !== undefined && (home === organizationId || holdsOnOrganization(held, "user.read", home));
}

/** Returns the id of a user in reach, to whom the caller may give roles. Raises NOT_FOUND for all others, whether they exist or not. */
export function requireUserInReach(
  held: readonly HeldRoles[],
  asked: { readonly userId: string } & Parameters<typeof isInReach>[1],
): UserId {
  if (!isInReach(held, asked)) throw userNotFound(asked.userId);
  return toId(asked.userId);
}

/** Returns the problem of a user who does not exist or is not in the organization that the call acts on. */
export function userNotFound(id: string): Problem {
  return notFound("user", id);
}

/** Returns the problem of a username that another user of the instance has. */
export function usernameTaken(username: string): Problem {
  return alreadyExists("user", username);
}

/** Returns the problem of a username by which another user is found, whom the caller may not know of. */
export function usernameUnusable(): Problem {
  return fieldInvalid("username", "cannot be used; choose another one");
}

interface Transition {
  readonly to: UserState;
  readonly from: readonly UserState[];
  readonly type: "user.deactivated" | "user.reactivated" | "user.locked" | "user.unlocked";
  /** What the caller can do instead when the action is not possible. */
  readonly hint: string;
}

const transitions: Readonly<Record<UserAction, Transition>> = {
  deactivate: { to: "INACTIVE", from: ["ACTIVE", "LOCKED"], type: "user.deactivated", hint: "" },
  reactivate: { to: "ACTIVE", from: ["INACTIVE"], type: "user.reactivated", hint: "unlock them instead" },
  lock: { to: "LOCKED", from: ["ACTIVE"], type: "user.locked", hint: "reactivate them first" },
  unlock: { to: "ACTIVE", from: ["LOCKED"], type: "user.unlocked", hint: "reactivate them instead" },
};

function humanNames(profile: HumanUpdate) {
  const { username, given_name, family_name, display_name } = toHumanPayload(profile);
  return { username, given_name, family_name, display_name };
}

function serviceNames({ username, name, description }: ServiceProfile) {
  return { username, name, description };
}

function toHumanPayload(profile: HumanUpdate) {
  return {
    username: profile.username,
    given_name: profile.givenName,
    family_name: profile.familyName,
    display_name: profile.displayName,
    preferred_language: profile.preferredLanguage,
    email: profile.email,
  };
}

function toServicePayload(profile: ServiceProfile) {
  return {
    username: profile.username,
    name: profile.name,
    description: profile.description,
    access_token_type: profile.accessTokenType,
    signing_algorithm: profile.signingAlgorithm,
    ...(profile.trustMail ? { trust_mail: true as const } : {}),
  };
}

function aggregateOf(user: User) {
  return { aggregateId: user.id, resourceOwner: user.details.resourceOwner };
}
