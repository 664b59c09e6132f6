import { foldName, lowerAscii } from "../../../kernel/base/names/folding.ts";
import type { OrganizationId } from "../../../kernel/base/ids.ts";
import type { LoginNameKind } from "../../policies/login-policy.ts";
import { normalizePhone } from "./phone-number.ts";

/** What somebody typed to say who they are, and where. */
export interface LoginName {
  /** As it was typed. */
  readonly name: string;
  /** What it may be. */
  readonly kinds: readonly LoginNameKind[];
  /** The organization that logs in: an address that one of its users has verified is enough there. Undefined: there is none. */
  readonly organizationId: OrganizationId | undefined;
}

/**
 * Returns the form of a name under which tries are counted, so that no spelling of it gives new ones. A phone number has one for
 * all ways to group its digits.
 */
export function foldLoginName(name: string): string {
  return toPhone(name) ?? foldName(name);
}

/** Returns the text as the email address that it may be; undefined when it is none. */
export function toEmail(name: string): string | undefined {
  return name.includes("@") ? lowerAscii(name.trim()) : undefined;
}

/** Returns the text as the phone number that it may be, in E.164; undefined when it is none. */
export function toPhone(name: string): string | undefined {
  return /^\s*[+\uff0b]/.test(name) ? normalizePhone(name) : undefined;
}
