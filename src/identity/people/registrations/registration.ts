import { networkOf } from "../../../kernel/base/network.ts";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import type { OrganizationId, UserId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { type TryLimits, tryKeyOf } from "../../logins/tries/try.ts";
import type { TryCounter } from "../../logins/tries/repository.ts";
import { setPassword } from "../passwords/password.ts";
import { addHumanUser, type HumanProfile } from "../user/user.ts";

/** What people say about themselves when they register. */
export type Registrant = Pick<
  HumanProfile,
  "username" | "givenName" | "familyName" | "displayName" | "email" | "preferredLanguage"
>;

/**
 * How many names may be asked for from an address, whether they become accounts or are taken: nobody fills an organization with
 * accounts, or asks for a long list of names which of them exist.
 */
export const registrationLimits: TryLimits = { kind: "window", maxTries: 20, windowMs: 60 * 60_000 };

/** Returns the counter of an address: the whole of an IPv4 address, 64 bits of an IPv6 address. */
export function registrationCounter(keyring: Keyring, remoteAddress: string | undefined): TryCounter {
  const kind = "registration";
  return { kind, key: tryKeyOf(keyring, kind, networkOf(remoteAddress) ?? "") };
}

/** Decides to add a user who chose the password themselves. The email is unverified. */
export function registerUser(
  id: UserId,
  organizationId: OrganizationId,
  registrant: Registrant,
): readonly NewEvent[] {
  const details = { sequence: 0, creationDate: 0, resourceOwner: organizationId };
  const origin = { creator: id, madeWithTokenId: undefined };
  return [
    addHumanUser(id, organizationId, { ...registrant, phone: "" }),
    setPassword({ id, details }, { isChangeRequired: false, origin }),
  ];
}
