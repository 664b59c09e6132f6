import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { revokeAuthorization } from "../../../identity/logins/authorizations/authorization.ts";
import { findAuthorization, isSessionLive } from "../../../identity/logins/authorizations/repository.ts";
import {
  type DeviceAuthorization,
  checkPoll,
} from "../../../identity/protocol-state/device-authorizations/device-authorization.ts";
import {
  findDevice,
  notePoll,
  useDevice,
} from "../../../identity/protocol-state/device-authorizations/repository.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { GoodProof } from "../../../identity/protocol-state/dpop/proof.ts";
import { authenticateClient } from "../clients/authentication.ts";
import { toUses, writeWithUse } from "../clients/assertion-use.ts";
import type { OidcClient } from "../clients/client.ts";
import { hashCode, newRefreshToken } from "../codes/code.ts";
import { readProofForTokens } from "../dpop/request-proof.ts";
import { requireParameter } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import { type OAuthRequest, originOfRequest } from "../requests/oauth-request.ts";
import { readAskedResources } from "../tokens/asked-resources.ts";
import { type GivenTokens, type IssuePorts, signTokens, type TokenAnswer } from "../tokens/issue.ts";
import { giveTokens, requireInForce } from "../tokens/issue-for-authorization.ts";
import { readScopesOfApplication } from "../tokens/scopes.ts";
import { requireGrantType } from "./grant-rights.ts";
import { keyOfFamily, startFamily } from "./token-family.ts";

/** The result of a poll: tokens, or a refusal after changes that stay. */
type Outcome = { readonly given: GivenTokens } | { readonly refusal: OAuthError };

interface PollRequest {
  readonly request: OAuthRequest;
  readonly client: OidcClient;
  readonly proof: GoodProof | undefined;
  readonly hooks: HookSession;
  readonly nowMs: number;
}

/**
 * Gives tokens to a device that somebody has allowed (RFC 8628 §3.4, §3.5). All that the request changes is one write. A device
 * code is good once; a second use by its client ends what the first one gave, as with a code. Raises authorization_pending and
 * slow_down, after which the device asks again, access_denied, expired_token, invalid_grant, invalid_dpop_proof, and what
 * authentication raises.
 */
export async function grantByDeviceCode(ports: IssuePorts, request: OAuthRequest): Promise<TokenAnswer> {
  const { database, clock } = ports.context;
  const by = await authenticateClient(ports, request);
  const client = requireGrantType(by.client, "DEVICE_CODE");
  const hash = hashCode(requireParameter(request.form, "device_code"));
  const proof = await readProofForTokens(ports.context, request, client);
  const { issuer, requestId } = request;
  const uses = toUses(by.use, proof?.use);
  const outcome = await ports.hooks.run((hooks) =>
    writeWithUse<Outcome>(database, { uses, request }, async (tx) => {
      const device = await findDevice(tx, hash);
      if (device?.applicationId !== client.id) throw deviceCodeInvalid();
      return await poll(ports, tx, { request, client, proof, hooks, device, nowMs: clock.nowMs() });
    }),
  );
  if ("refusal" in outcome) throw outcome.refusal;
  const how = { issuer, algorithm: client.signingAlgorithm, grant: "device_code", requestId };
  return await signTokens(ports, outcome.given, how);
}

async function poll(
  ports: IssuePorts,
  tx: WriteTransaction,
  asked: PollRequest & { readonly device: DeviceAuthorization },
): Promise<Outcome> {
  const { device, nowMs } = asked;
  const { hash, intervalSeconds } = device;
  const checked = checkPoll(device, nowMs);
  switch (checked.kind) {
    case "pending":
      await notePoll(tx, { hash, nowMs, intervalSeconds });
      return { refusal: new OAuthError("authorization_pending", "nobody has allowed the device yet") };
    case "slow-down":
      await notePoll(tx, { hash, nowMs, intervalSeconds: checked.intervalSeconds });
      return { refusal: slowDown(checked.intervalSeconds) };
    case "denied":
      throw new OAuthError("access_denied", "the user, or a rule of the project, refused");
    case "expired":
      throw new OAuthError("expired_token", "the device code has expired; ask for another one");
    case "used":
      return await endGiven(ports, tx, { ...asked, authorizationId: checked.authorizationId });
    case "allowed":
      return await giveNow(ports, tx, { ...asked, authorizationId: checked.authorizationId });
  }
}

type DecidedPoll = PollRequest & { readonly device: DeviceAuthorization; readonly authorizationId: string };

/** Somebody else may have got the device code: neither keeps what the first one was given (RFC 6749 §4.1.2, of codes). */
async function endGiven(
  { context }: IssuePorts,
  tx: WriteTransaction,
  { request, authorizationId }: DecidedPoll,
): Promise<Outcome> {
  const authorization = await findAuthorization(tx, authorizationId);
  if (authorization === undefined || authorization.isEnded) throw deviceCodeInvalid();
  await context.log.append(tx, originOfRequest(request, authorization.userId), [
    revokeAuthorization(authorization, "code_reused"),
  ]);
  return { refusal: deviceCodeInvalid() };
}

async function giveNow(
  ports: IssuePorts,
  tx: WriteTransaction,
  { request, client, proof, hooks, device, authorizationId, nowMs }: DecidedPoll,
): Promise<Outcome> {
  const { context, accessTokenSeconds } = ports;
  const authorization = await findAuthorization(tx, authorizationId);
  // A session that is over takes what was allowed in it along, as it does with codes.
  if (authorization === undefined || !(await isSessionLive(tx, authorization, nowMs)))
    throw deviceCodeInvalid();
  await requireInForce(tx, { authorization, client });
  const scopes = readScopesOfApplication(authorization.scopes.join(" "), client.settings);
  const refreshToken = scopes.wantsRefreshToken ? newRefreshToken(context.random) : undefined;
  const family = { authorization, refreshToken, jkt: keyOfFamily(client, proof) };
  const keptUntilMs = await startFamily(tx, { ...family, nowMs, accessTokenSeconds });
  if (!(await useDevice(tx, device.hash, { nowMs, keptUntilMs }))) throw deviceCodeInvalid();
  const resources = readAskedResources(request.lists.get("resource"), request.issuer);
  const hooked = { grant: "device_code", hooks };
  const asIs = { authorization, client, scopes, resources, nowMs, refreshToken, nonce: undefined, ...hooked };
  return { given: await giveTokens(ports, tx, { ...asIs, jkt: proof?.jkt }) };
}

function slowDown(intervalSeconds: number): OAuthError {
  return new OAuthError("slow_down", `wait ${intervalSeconds} seconds between two requests from now on`);
}

function deviceCodeInvalid(): OAuthError {
  return new OAuthError(
    "invalid_grant",
    "the device code is unknown or used, belongs to another client, or its login has ended",
  );
}
