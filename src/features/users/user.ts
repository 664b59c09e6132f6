import type { Details } from "../../base/details.ts";
import type { OrganizationId, UserId } from "../../base/ids.ts";
import { alreadyExists, type FieldViolation, notFound, type Problem, wrongKind } from "../../base/problem.ts";
import type { NewEvent } from "../../events/event.ts";

export type UserState = "ACTIVE" | "INACTIVE" | "LOCKED";

/** What is given when a human user is added. Absent texts are empty. */
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

/** What is given when a service user is added. */
export interface ServiceProfile {
  readonly username: string;
  readonly name: string;
  readonly description: string;
}

interface UserBase {
  readonly id: UserId;
  readonly details: Details;
  readonly state: UserState;
}

/** A human being. Personal fields are empty once his key is destroyed. */
export interface HumanUser extends UserBase, HumanProfile {
  readonly kind: "human";
  readonly isEmailVerified: boolean;
  readonly isPhoneVerified: boolean;
}

/** A program. */
export interface ServiceUser extends UserBase, ServiceProfile {
  readonly kind: "service";
}

export type User = HumanUser | ServiceUser;

/** Decides to add a human user; e-mail and phone are unverified. */
export function addHumanUser(id: UserId, organizationId: OrganizationId, profile: HumanProfile): NewEvent {
  return {
    type: "user.added",
    aggregateId: id,
    resourceOwner: organizationId,
    payload: {
      kind: "human",
      username: profile.username,
      given_name: profile.givenName,
      family_name: profile.familyName,
      display_name: profile.displayName,
      preferred_language: profile.preferredLanguage,
      email: profile.email,
      ...(profile.phone === "" ? {} : { phone: profile.phone }),
    },
  };
}

/** Decides to add a service user. */
export function addServiceUser(
  id: UserId,
  organizationId: OrganizationId,
  profile: ServiceProfile,
): NewEvent {
  return {
    type: "user.added",
    aggregateId: id,
    resourceOwner: organizationId,
    payload: {
      kind: "service",
      username: profile.username,
      name: profile.name,
      description: profile.description,
    },
  };
}

/** Returns a violation for a text that is not a language tag (BCP 47, RFC 5646 §2.1); none for an empty one. */
export function checkLanguage(field: string, tag: string): readonly FieldViolation[] {
  if (tag === "") return [];
  try {
    Intl.getCanonicalLocales(tag);
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ field, description: "must be a BCP 47 language tag such as de-CH" }];
  }
}

/** Returns the user as a human one. Raises WRONG_KIND for a service user. */
export function requireHuman(user: User): HumanUser {
  if (user.kind === "human") return user;
  throw wrongKind("a service user has neither phone nor second factors; name a human user", {
    type: "user",
    name: user.id,
  });
}

/** Returns the problem of a user who is absent or not in the organization acted on. */
export function userNotFound(id: string): Problem {
  return notFound("user", id);
}

/** Returns the problem of a username that another user of the instance has. */
export function usernameTaken(username: string): Problem {
  return alreadyExists("user", username);
}
