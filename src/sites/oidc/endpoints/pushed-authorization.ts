import type { FeatureContext } from "../../../identity/context.ts";
import {
  countWaitingRequests,
  putPushedRequest,
} from "../../../identity/protocol-state/pushed-requests/repository.ts";
import { toUses, writeWithUse } from "../clients/assertion-use.ts";
import { authenticateClient, type ClientPorts } from "../clients/authentication.ts";
import { hashHolder, requireRoom } from "../clients/room.ts";
import { readProof } from "../dpop/request-proof.ts";
import { findFaultInPush, sealParameters, toPushedParameters } from "../pushed/pushed-parameters.ts";
import { hashRequestUri, newRequestUri, pushedRequestMs } from "../pushed/request-uri.ts";
import { findAskedApis } from "../tokens/asked-apis.ts";
import { readAskedResources } from "../tokens/asked-resources.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";

/** What pushed requests are answered with. */
export interface PushPorts extends ClientPorts {
  readonly context: Pick<FeatureContext, "database" | "keyring" | "clock" | "random">;
}

/** The answer to a pushed request (RFC 9126 §2.2). */
export interface PushAnswer {
  readonly request_uri: string;
  /** In seconds. */
  readonly expires_in: number;
}

/**
 * Takes the request for a login from the application itself, and returns a reference that the browser brings in its place (RFC 9126
 * §2). It can be used once. Raises invalid_client, invalid_dpop_proof, unauthorized_client for a client that is no application of
 * OpenID Connect, temporarily_unavailable (429) when too many wait, and the errors of a request that comes by a browser.
 */
export async function pushAuthorizationRequest(ports: PushPorts, request: OAuthRequest): Promise<PushAnswer> {
  const { context } = ports;
  const { database, keyring, clock, random } = context;
  const { client, use } = await authenticateClient(ports, request);
  const proof = await readProof(context, request, client);
  const uses = toUses(use, proof?.use);
  return await writeWithUse(database, { uses, request }, async (tx) => {
    if (client.kind !== "oidc")
      throw new OAuthError("unauthorized_client", "only applications of OpenID Connect let people log in");
    const parameters = toPushedParameters(request, proof?.jkt);
    const fault = findFaultInPush(parameters, client);
    if (fault !== undefined) throw new OAuthError(fault.code, fault.description);
    const asked = readAskedResources(parameters.lists.get("resource"), request.issuer);
    await findAskedApis(tx, client, { asked, scope: parameters.values.get("scope") });
    if (proof !== undefined && proof.jkt !== parameters.values.get("dpop_jkt"))
      throw new OAuthError("invalid_request", "dpop_jkt is not the key of the DPoP proof");
    const nowMs = clock.nowMs();
    const { remoteAddress } = request;
    const holderHash = hashHolder(keyring, "pushed request", { applicationId: client.id, remoteAddress });
    requireRoom(client, "pushed request", {
      ...(await countWaitingRequests(tx, { holderHash, nowMs })),
      nowMs,
    });
    const requestUri = newRequestUri(random).reveal();
    const hash = hashRequestUri(requestUri);
    await putPushedRequest(tx, {
      hash,
      applicationId: client.id,
      holderHash,
      content: sealParameters(keyring, parameters, hash),
      expirationMs: nowMs + pushedRequestMs,
    });
    return { request_uri: requestUri, expires_in: pushedRequestMs / 1000 };
  });
}
