import type { HookRefusal } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { LoginRefusal } from "../login-protocol.ts";
import type { LoginRequest } from "../login-request.ts";
import { PageRefusal } from "../page-refusal.ts";

/**
 * Ends a login that a hook refuses. Where pages may be shown it throws the refusal of the page, with the words of the hook, and nothing
 * of the login stays. With `prompt=none` it returns what the application learns.
 */
export function refuseByHook(
  { prompts }: Pick<LoginRequest, "prompts">,
  { cause, message }: HookRefusal,
): { readonly refusal: LoginRefusal } {
  if (prompts.includes("none"))
    return { refusal: cause === "failed" ? "temporarily_unavailable" : "access_denied" };
  throw toPageOfHook({ cause, message });
}

/** Makes the page of a refusal by a hook. */
export function toPageOfHook({ cause, message }: HookRefusal): PageRefusal {
  return cause === "failed"
    ? new PageRefusal("hook-failed")
    : new PageRefusal("hook-refused", { said: message === "" ? undefined : message });
}
