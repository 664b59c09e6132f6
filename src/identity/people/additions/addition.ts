import type { Call } from "../../../kernel/base/call.ts";
import { holdsOnInstance, holdsOnOrganization } from "../../../kernel/base/permission.ts";
import { type FieldViolation, fieldsInvalid, permissionDenied } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { EmailVerification } from "../emails/email.ts";
import type { Invite } from "../invitations/invitation.ts";
import type { HumanProfile, HumanUser } from "../user/user.ts";
import { requireMayImport } from "../user/imported-id.ts";
import type { OrganizationId, UserId } from "../../../kernel/base/ids.ts";

/** A first password. */
export type FirstPassword =
  | { readonly kind: "password"; readonly password: Secret }
  /** As another system has made it. */
  | { readonly kind: "hash"; readonly encoded: Secret };

/** A person to add. */
export interface NewPerson extends HumanProfile {
  /** Undefined: the user has no password. */
  readonly firstPassword?: FirstPassword | undefined;
  readonly isPasswordChangeRequired?: boolean;
  /** Undefined: the address stays unverified, and gets no code. */
  readonly emailVerification?: EmailVerification | undefined;
  /** Undefined: nobody is invited. */
  readonly invite?: Invite | undefined;
  /** The id in another system; empty: none. */
  readonly importedId?: string;
}

/** Lists the fields that do not fit together. */
export function checkNewPerson(person: Omit<NewPerson, keyof HumanProfile>): readonly FieldViolation[] {
  const { firstPassword, isPasswordChangeRequired = false, emailVerification, invite } = person;
  const violations: FieldViolation[] = [];
  if (isPasswordChangeRequired && firstPassword === undefined)
    violations.push({ field: "password_change_required", description: "needs password or password_hash" });
  if (invite !== undefined && firstPassword !== undefined)
    violations.push({
      field: "invite",
      description: "must be absent with a password, which would make the invitation void",
    });
  if (invite !== undefined && emailVerification !== undefined && emailVerification !== "is-verified")
    violations.push({
      field: "invite",
      description: "must be absent with send_code and return_code: its link verifies the address",
    });
  return violations;
}

/**
 * Refuses a caller who may add users, but not say how they sign in. Raises PERMISSION_DENIED; FIELD_INVALID for an item of a batch
 * that takes long, or sends or returns a code.
 */
export function requireMayAdd(call: Call, person: NewPerson): void {
  const { firstPassword, emailVerification, invite } = person;
  const { organizationId } = call.access;
  const { held } = call.caller;
  if (call.isItem === true) requireFitForBatch(person);
  if ((person.importedId ?? "") !== "") requireMayImport(call);
  const permission = "user.credential.write";
  if (firstPassword?.kind === "hash" && !holdsOnInstance(held, permission))
    throw permissionDenied(
      permission,
      undefined,
      `password_hash needs the permission ${permission} instance-wide`,
    );
  const isCredential = firstPassword !== undefined || emailVerification !== undefined || invite !== undefined;
  if (isCredential && !holdsOnOrganization(held, permission, organizationId))
    throw permissionDenied(permission, organizationId);
}

function requireFitForBatch({ firstPassword, emailVerification, invite }: NewPerson): void {
  const found = [
    firstPassword?.kind === "password" ? "password" : undefined,
    emailVerification === "send-code" ? "send_code" : undefined,
    emailVerification === "return-code" ? "return_code" : undefined,
    invite === undefined ? undefined : "invite",
  ].filter((field) => field !== undefined);
  if (found.length > 0)
    throw fieldsInvalid(
      found.map((field) => ({ field, description: "must be absent in a batch; add the user by a call" })),
    );
}

/** Makes the user as they are once they are added, before anything else was decided. */
export function toNewHuman(
  id: UserId,
  organizationId: OrganizationId,
  profile: HumanProfile & Pick<NewPerson, "importedId">,
): HumanUser {
  return {
    ...profile,
    importedId: profile.importedId ?? "",
    kind: "human",
    id,
    details: { sequence: 0, creationDate: 0, resourceOwner: organizationId },
    state: "ACTIVE",
    isEmailVerified: false,
    isPhoneVerified: false,
    hasPassword: false,
    isPasswordChangeRequired: false,
    passwordChangeDate: undefined,
    invitation: undefined,
  };
}
