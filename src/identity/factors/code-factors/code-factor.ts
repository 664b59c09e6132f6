import type { SecondFactorId, UserId } from "../../../kernel/base/ids.ts";
import { notFound, type Problem } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { Details } from "../../../kernel/base/details.ts";
import type { CodeKind } from "../../people/codes/code.ts";
import type { HumanUser } from "../../people/user/user.ts";
import type { CodeFactorKind } from "../../policies/login-policy.ts";

/**
 * A second factor that is a code, sent to the verified email address or phone of the user. It lasts as long as the user has this
 * address. It is no second factor to applications, and never enough where somebody who reads the address could have set the password.
 */
export interface CodeFactor {
  readonly id: SecondFactorId;
  readonly userId: UserId;
  readonly details: Details;
  readonly type: CodeFactorKind;
}

/** The codes of each kind of factor. They are apart from those that verify an address. */
export const codesOf = {
  EMAIL_CODE: "email-factor",
  SMS_CODE: "phone-factor",
} as const satisfies Record<CodeFactorKind, CodeKind>;

/** Returns the verified address that codes of the kind go to; undefined: there is none. */
export function addressOf(
  user: Pick<HumanUser, "email" | "isEmailVerified" | "phone" | "isPhoneVerified">,
  kind: CodeFactorKind,
): string | undefined {
  if (kind === "EMAIL_CODE") return user.isEmailVerified ? user.email : undefined;
  return user.isPhoneVerified ? user.phone : undefined;
}

/** Shows of an address only what its user needs to know it by: somebody who knows the password need not learn it. */
export function maskAddress(address: string, kind: CodeFactorKind): string {
  if (kind === "SMS_CODE") return `•••${address.slice(-2)}`;
  const at = address.lastIndexOf("@");
  return `${address.slice(0, 1)}•••${address.slice(at)}`;
}

/** Decides to add the factor, after a code that was sent there was right. */
export function addCodeFactor(
  user: Pick<HumanUser, "id" | "details">,
  factor: { readonly id: SecondFactorId; readonly type: CodeFactorKind },
): NewEvent {
  return {
    type: "user.code_factor.added",
    aggregateId: user.id,
    resourceOwner: user.details.resourceOwner,
    payload: { code_factor_id: factor.id, type: factor.type },
  };
}

/** Decides to remove the factor. */
export function removeCodeFactor(factor: Pick<CodeFactor, "id" | "userId" | "details">): NewEvent {
  return { ...aboutOf(factor), type: "user.code_factor.removed" };
}

/** Decides to record a wrong code. */
export function failCodeCheck(factor: Pick<CodeFactor, "id" | "userId" | "details">): NewEvent {
  return { ...aboutOf(factor), type: "user.code_factor.check.failed" };
}

/** Returns the problem of a user who has no such factor. */
export function codeFactorNotFound(id: string): Problem {
  return notFound("second_factor", id);
}

function aboutOf({ id, userId, details }: Pick<CodeFactor, "id" | "userId" | "details">) {
  return { aggregateId: userId, resourceOwner: details.resourceOwner, payload: { code_factor_id: id } };
}
