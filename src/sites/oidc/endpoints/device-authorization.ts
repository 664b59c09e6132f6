import type { WriteTransaction } from "../../../kernel/base/database.ts";
import {
  deviceCodeMs,
  formatUserCode,
  hashUserCode,
  newDeviceCode,
  newUserCode,
  pollSeconds,
} from "../../../identity/protocol-state/device-authorizations/device-authorization.ts";
import {
  countWaitingDevices,
  isUserCodeTaken,
  putWaitingDevice,
} from "../../../identity/protocol-state/device-authorizations/repository.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { authenticateClient, type ClientPorts } from "../clients/authentication.ts";
import { toUses, writeWithUse } from "../clients/assertion-use.ts";
import { hashHolder, requireRoom } from "../clients/room.ts";
import { hashCode } from "../codes/code.ts";
import { requireGrantType } from "../grants/grant-rights.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import { findAskedApis } from "../tokens/asked-apis.ts";
import { readAskedResources } from "../tokens/asked-resources.ts";
import { requireActiveOrganization } from "../tokens/requested-organization.ts";
import { readScopesOfApplication } from "../tokens/scopes.ts";
import { endpointPaths } from "./paths.ts";

/** What devices are answered with. */
export interface DeviceAuthorizationPorts extends ClientPorts {
  readonly context: FeatureContext;
}

/** The answer of the endpoint (RFC 8628 §3.2). */
export interface DeviceAuthorizationAnswer {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/**
 * Lets a device wait until somebody allows it (RFC 8628 §3.1). All that the request changes is one write. Raises
 * unauthorized_client, invalid_scope, invalid_target, temporarily_unavailable (429) when too many wait, and what authentication raises.
 */
export async function answerDeviceAuthorization(
  ports: DeviceAuthorizationPorts,
  request: OAuthRequest,
): Promise<DeviceAuthorizationAnswer> {
  const { context } = ports;
  const by = await authenticateClient(ports, request);
  const client = requireGrantType(by.client, "DEVICE_CODE");
  const scope = request.form.get("scope");
  const { granted, organizationId } = readScopesOfApplication(scope ?? "", client.settings);
  const asked = readAskedResources(request.lists.get("resource"), request.issuer);
  const deviceCode = newDeviceCode(context.random);
  const { remoteAddress } = request;
  const holderHash = hashHolder(context.keyring, "device", { applicationId: client.id, remoteAddress });
  const how = { uses: toUses(by.use), request };
  const { userCode } = await writeWithUse(context.database, how, async (tx) => {
    await requireActiveOrganization(tx, organizationId);
    const nowMs = context.clock.nowMs();
    requireRoom(client, "device", { ...(await countWaitingDevices(tx, { holderHash, nowMs })), nowMs });
    const apis = await findAskedApis(tx, client, { asked, scope });
    const drawn = await drawUserCode(context, tx);
    await putWaitingDevice(tx, {
      hash: hashCode(deviceCode),
      ...drawn,
      holderHash,
      applicationId: client.id,
      scopes: [...new Set([...granted, ...apis.scopes])],
      resources: apis.resources,
      intervalSeconds: pollSeconds,
      expirationMs: nowMs + deviceCodeMs,
    });
    return drawn;
  });
  const shown = formatUserCode(userCode);
  const verificationUri = `${request.issuer}${endpointPaths.device}`;
  return {
    device_code: deviceCode,
    user_code: shown,
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${shown}`,
    expires_in: deviceCodeMs / 1000,
    interval: pollSeconds,
  };
}

/** Draws until nothing is stored under the code. Even with a million devices the first one is free nearly always. */
async function drawUserCode(
  { keyring, random }: Pick<FeatureContext, "keyring" | "random">,
  tx: WriteTransaction,
): Promise<{ readonly userCode: string; readonly userCodeHash: string }> {
  for (;;) {
    const userCode = newUserCode(random);
    const hashes = hashUserCode(keyring, userCode);
    if (!(await isUserCodeTaken(tx, hashes))) return { userCode, userCodeHash: hashes[0] };
  }
}
