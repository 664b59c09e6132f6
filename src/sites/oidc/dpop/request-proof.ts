import type { Clock } from "../../../kernel/base/clock.ts";
import { clientAlgorithms } from "../../../kernel/base/jws.ts";
import { algorithmsOf, mustProve } from "../../../identity/applications/oidc/security-profile.ts";
import { type GoodProof, checkProof } from "../../../identity/protocol-state/dpop/proof.ts";
import type { Client, OidcClient } from "../clients/client.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";

/** The parts of a request that its proof is read of. */
type Proved = Pick<OAuthRequest, "dpop" | "verb" | "endpoint">;

/**
 * Reads the proof of a request for tokens of an application (RFC 9449 §5), as `readProof` does. Raises invalid_dpop_proof, also for
 * no proof if its tokens must be bound.
 */
export async function readProofForTokens(
  ports: { readonly clock: Clock },
  request: Proved,
  client: OidcClient,
): Promise<GoodProof | undefined> {
  const proof = await readProof(ports, request, client);
  if (proof === undefined && mustProve(client.settings))
    throw new OAuthError("invalid_dpop_proof", "this application must send a proof, in the header DPoP");
  return proof;
}

/**
 * Reads the proof of a request (RFC 9449 §5, §10.1). Undefined: the client sends none. The write of the request must use it
 * (`writeWithUse`). Raises invalid_dpop_proof.
 */
export async function readProof(
  { clock }: { readonly clock: Clock },
  { dpop, verb, endpoint }: Proved,
  client: Client,
): Promise<GoodProof | undefined> {
  if (dpop === undefined) return undefined;
  const asked = { verb, url: endpoint, accessToken: undefined, nowMs: clock.nowMs() };
  const checked = await checkProof(dpop, asked);
  if ("fault" in checked) throw new OAuthError("invalid_dpop_proof", checked.fault);
  const algorithms = client.kind === "oidc" ? algorithmsOf(client.settings) : clientAlgorithms;
  if (!algorithms.includes(checked.proof.algorithm))
    throw new OAuthError("invalid_dpop_proof", `alg of the DPoP proof must be ${algorithms.join(", ")}`);
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
