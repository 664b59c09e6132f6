import type { Clock } from "../../../kernel/base/clock.ts";
import { type GoodProof, checkProof } from "../../../identity/protocol-state/dpop/proof.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";

/**
 * Reads the proof of a request for tokens (RFC 9449 §5). Undefined: the client sends none. The write of the request must use it
 * (`writeWithUse`). Raises invalid_dpop_proof.
 */
export async function readProof(
  { clock }: { readonly clock: Clock },
  { dpop, verb, endpoint }: Pick<OAuthRequest, "dpop" | "verb" | "endpoint">,
): Promise<GoodProof | undefined> {
  if (dpop === undefined) return undefined;
  const asked = { verb, url: endpoint, accessToken: undefined, nowMs: clock.nowMs() };
  const checked = await checkProof(dpop, asked);
  if ("fault" in checked) throw new OAuthError("invalid_dpop_proof", checked.fault);
  return checked.proof;
}

/**
 * Raises an error of that code (default: invalid_grant) unless the request proves that its client holds the key that something is
 * bound to: a code, a refresh token, a token that is exchanged. `jkt` undefined: it is bound to none, and any request will do.
 */
export function requireProofFor(
  jkt: string | undefined,
  proof: GoodProof | undefined,
  code: "invalid_grant" | "invalid_request" = "invalid_grant",
): void {
  if (jkt === undefined || jkt === proof?.jkt) return;
  throw new OAuthError(code, "send a DPoP proof with the key that this was given for");
}
