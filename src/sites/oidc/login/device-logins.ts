import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { grantAuthorization } from "../../../identity/logins/authorizations/authorization.ts";
import { putAuthorization } from "../../../identity/logins/authorizations/repository.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import {
  type DeviceAuthorization,
  deviceMemoryMs,
  isWaiting,
} from "../../../identity/protocol-state/device-authorizations/device-authorization.ts";
import {
  decideDevice,
  findDevice,
} from "../../../identity/protocol-state/device-authorizations/repository.ts";
import type { BrowserAnswer } from "../../login/browser-answer.ts";
import type { LoginProtocol } from "../../login/login-protocol.ts";
import { type LoginRequest, requireApplicationId } from "../../login/login-request.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import type { DeviceEnd } from "../../login/texts/texts.ts";
import type { OidcClient } from "../clients/client.ts";
import { type ClientLookup, findClient } from "../clients/repository.ts";
import { devicePath } from "../device/path.ts";
import { listOidcGift } from "./list-gift.ts";
import { checkLogin, toAuthorization } from "./login-protocol.ts";

/** What a login keeps to find its device again: the hash of the device code. */
interface DeviceLoginData {
  readonly hash: string;
}

/** Makes what a login of that device keeps: JSON. */
export function toDeviceLoginData({ hash }: Pick<DeviceAuthorization, "hash">): LoginRequest["data"] {
  return { hash } satisfies DeviceLoginData;
}

/** Creates the answers to logins that devices have asked for. The browser goes to a page that says how it has ended. */
export function createDeviceLogins(context: Pick<FeatureContext, "clock">): LoginProtocol {
  const deny = async (tx: WriteTransaction, hash: string, end: DeviceEnd): Promise<DeviceEnd> => {
    const isFirst = await decideDevice(tx, hash, {
      decision: { kind: "denied" },
      nowMs: context.clock.nowMs(),
    });
    return isFirst ? end : "gone";
  };
  return {
    refuse: async (tx, { request, issuer }) =>
      toEndPage(issuer, await deny(tx, fromDeviceLoginData(request).hash, "canceled")),
    findWayBack: async () => undefined, // the device is elsewhere
    listGift: listOidcGift,
    async finish(tx, { request, session, confirmed, issuer }) {
      const { hash } = fromDeviceLoginData(request);
      const nowMs = context.clock.nowMs();
      const client = await requireClient(tx, request, { nowMs, issuer });
      const device = await findDevice(tx, hash);
      if (device === undefined || !isWaiting(device, nowMs) || !mayHaveDevices(client))
        return { answer: toEndPage(issuer, "gone"), events: [] };
      const { scopes, expirationMs } = device;
      const checked = await checkLogin(tx, { request, session, client, scopes, confirmed });
      if ("refusal" in checked)
        return { answer: toEndPage(issuer, await deny(tx, hash, "no-access")), events: [] };
      const authorization = toAuthorization(tx, {
        client,
        session,
        ...checked,
        sealedNonce: undefined,
        nowMs,
        expirationMs: expirationMs + deviceMemoryMs, // the device goes with it, and learns that it is too late
      });
      await putAuthorization(tx, authorization);
      const decision = { kind: "allowed", authorizationId: authorization.id } as const;
      await decideDevice(tx, hash, { decision, nowMs });
      return { answer: toEndPage(issuer, "allowed"), events: [grantAuthorization(authorization, false)] };
    },
  };
}

function mayHaveDevices({ settings }: OidcClient): boolean {
  return settings.grantTypes.includes("DEVICE_CODE");
}

function fromDeviceLoginData({ data }: Pick<LoginRequest, "data">): DeviceLoginData {
  return data as DeviceLoginData; // made above
}

/** A login may take a quarter of an hour, in which the application may have been switched off. */
async function requireClient(
  tx: WriteTransaction,
  request: LoginRequest,
  lookup: ClientLookup,
): Promise<OidcClient> {
  const client = await findClient(tx, requireApplicationId(request), lookup);
  if (client?.kind !== "oidc") throw new PageRefusal("unknown-application");
  if (!client.isActive) throw new PageRefusal("inactive-application");
  return client;
}

function toEndPage(issuer: string, end: DeviceEnd): BrowserAnswer {
  return { kind: "redirect", location: `${issuer}${devicePath}/${end}` };
}
