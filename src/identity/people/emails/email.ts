import type { UserId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { codeNotPending } from "../codes/code.ts";
import { type LoginOrigin, toLoginOriginPayload } from "../../logins/login-origins/login-origin.ts";
import type { HumanUser } from "../user/user.ts";

/** How an email address is verified: by a code in a mail, by a code in the answer, or by the caller's assurance. */
export type EmailVerification = "send-code" | "return-code" | "is-verified";

/** Decides to set the address, which is unverified until the caller vouches for it or the code is entered. */
export function setEmail(
  user: Pick<HumanUser, "id" | "details" | "email" | "isEmailVerified">,
  email: string,
  {
    isVerified,
    loginOrigin,
  }: { readonly isVerified: boolean; readonly loginOrigin: LoginOrigin | undefined },
): readonly NewEvent[] {
  if (isVerified && user.isEmailVerified && user.email === email) return []; // as it is
  const payload = { email, ...toLoginOriginPayload(loginOrigin) };
  const set = { ...aggregateOf(user), type: "user.email.set" as const, payload };
  return isVerified ? [set, verifyEmail(user)] : [set];
}

/** Decides to make another code for the unverified address. Raises CODE_NOT_PENDING when it is verified, or there is none. */
export function addEmailCode(user: HumanUser): NewEvent {
  if (user.email === "" || user.isEmailVerified) throw codeNotPending();
  return { ...aggregateOf(user), type: "user.email.code.added", payload: {} };
}

/** Decides that the address is verified; `isProved`: by a code that was sent to it. */
export function verifyEmail(user: Pick<HumanUser, "id" | "details">, isProved = false): NewEvent {
  const payload = isProved ? ({ by: "sent_code" } as const) : {};
  return { ...aggregateOf(user), type: "user.email.verified", payload };
}

/** Decides that the address is no longer verified, because its user gained roles that the setter of the address does not hold. */
export function unverifyEmail(user: { readonly id: UserId; readonly organizationId: string }): NewEvent {
  return {
    type: "user.email.unverified",
    aggregateId: user.id,
    resourceOwner: user.organizationId,
    payload: { cause: "roles_gained" },
  };
}

function aggregateOf(user: Pick<HumanUser, "id" | "details">) {
  return { aggregateId: user.id, resourceOwner: user.details.resourceOwner };
}
