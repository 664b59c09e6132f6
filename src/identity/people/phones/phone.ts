import { Problem } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { Language } from "../../texts/languages.ts";
import { toMailTexts } from "../../texts/mail-texts.ts";
import { codeLifetimesMs, codeNotPending } from "../codes/code.ts";
import type { HumanUser } from "../user/user.ts";

/** How a phone is verified: by a code in an SMS, by a code in the answer, or by the caller's assurance. */
export type PhoneVerification = "send-code" | "return-code" | "is-verified";

/** Decides to set the phone, which is unverified until the caller vouches for it or the code is entered. */
export function setPhone(user: HumanUser, phone: string, isVerified: boolean): readonly NewEvent[] {
  if (isVerified && user.isPhoneVerified && user.phone === phone) return []; // as it is
  const set = { ...aggregateOf(user), type: "user.phone.set" as const, payload: { phone } };
  return isVerified ? [set, verifyPhone(user)] : [set];
}

/**
 * Decides to make another code for the unverified phone. Raises CODE_NOT_PENDING when there is no phone to verify.
 */
export function addPhoneCode(user: HumanUser): NewEvent {
  if (user.phone === "" || user.isPhoneVerified) throw codeNotPending();
  return { ...aggregateOf(user), type: "user.phone.code.added", payload: {} };
}

/** Decides that the phone is verified; `isProved`: by a code that was sent to it. */
export function verifyPhone(user: HumanUser, isProved = false): NewEvent {
  const payload = isProved ? ({ by: "sent_code" } as const) : {};
  return { ...aggregateOf(user), type: "user.phone.verified", payload };
}

/** Decides to remove the phone: an event, or none for a user without a phone. */
export function removePhone(user: HumanUser): readonly NewEvent[] {
  return user.phone === "" ? [] : [{ ...aggregateOf(user), type: "user.phone.removed", payload: {} }];
}

/** Returns the message that carries a code. */
export function smsText({ words }: Language, code: string): string {
  return toMailTexts<"sms">(words.sms).verification({ code, minutes: codeLifetimesMs.phone / 60_000 });
}

/** Returns the problem of a service that has no SMS provider. */
export function smsNotConfigured(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "SMS_NOT_CONFIGURED",
    message:
      "this service cannot send messages; use return_code, or ask the operator to configure an SMS provider",
  });
}

function aggregateOf(user: HumanUser) {
  return { aggregateId: user.id, resourceOwner: user.details.resourceOwner };
}
