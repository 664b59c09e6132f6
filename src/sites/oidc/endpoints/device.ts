import { networkOf } from "../../../kernel/base/network.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import {
  type DeviceAuthorization,
  formatUserCode,
  hashUserCode,
  parseUserCode,
  userCodeLimits,
} from "../../../identity/protocol-state/device-authorizations/device-authorization.ts";
import { findWaitingDevice } from "../../../identity/protocol-state/device-authorizations/repository.ts";
import { releaseTry, reserveTry, type TryCounter } from "../../../identity/logins/tries/repository.ts";
import { tryKeyOf } from "../../../identity/logins/tries/try.ts";
import type { BodyReader } from "../../../kernel/http/bodies/body.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { requireOwnForm } from "../../login/form-token.ts";
import { redirectToIssuer } from "../../login/issuer-origin.ts";
import type { Layout } from "../../login/layout.ts";
import type { LoginRequest } from "../../login/login-request.ts";
import type { Logins } from "../../login/logins.ts";
import { readPageForm } from "../../login/page-form.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { ownCookieOf, readOwnCookie } from "../../login/standalone/own-cookie.ts";
import { type Texts, toTexts } from "../../login/texts/texts.ts";
import { toId } from "../../../kernel/base/ids.ts";
import { renderCodePage, renderEndPage } from "../device/pages.ts";
import { toDeviceLoginData } from "../login/device-logins.ts";
import { toRequestedScopes } from "../tokens/scopes.ts";

/** What the pages of devices work with. */
export interface DevicePorts {
  readonly context: Pick<FeatureContext, "database" | "keyring" | "clock" | "random">;
  readonly bodies: BodyReader;
  readonly layout: Layout;
  readonly logins: Pick<Logins, "begin">;
}

interface DeviceVisit {
  readonly exchange: Exchange;
  readonly issuer: string;
}

const cookieName = "gh_device";

/**
 * Shows the page that asks for the code of a device (RFC 8628 §3.3). A code that the link brings stands in the field, and nothing
 * is done with it until the user sends the form (§3.3.1).
 */
export async function showDevicePage(ports: DevicePorts, visit: DeviceVisit): Promise<Reply> {
  const { exchange, issuer } = visit;
  const elsewhere = redirectToIssuer(exchange, issuer);
  if (elsewhere !== undefined) return elsewhere;
  return render(ports, visit, { typed: new URLSearchParams(exchange.query).get("user_code") ?? "" });
}

/**
 * Takes the code of a device, and begins the login that ends with the question whether the device may have it. Codes that are wrong,
 * too late or used look the same, and are counted for each address. Raises the page of an error for a form that is not our own.
 */
export async function takeUserCode(ports: DevicePorts, visit: DeviceVisit): Promise<Reply> {
  const { exchange, issuer } = visit;
  const form = await readPageForm(exchange, ports.bodies);
  requireOwnForm(exchange, form, readOwnCookie(visit, cookieName));
  const typed = form.get("user_code") ?? "";
  const { wrong, paused } = textsOf(ports, exchange).device;
  const tried = await tryUserCode(ports, exchange, typed);
  switch (tried.kind) {
    case "wrong":
      return render(ports, visit, { typed, problem: wrong });
    case "paused": {
      const seconds = Math.max(1, Math.ceil(tried.retryAfterMs / 1000));
      const headers = { "retry-after": String(seconds) };
      return render(ports, visit, { typed, problem: paused, status: 429, headers });
    }
    case "right": {
      const { counter, reservedMs } = tried;
      const request = toLoginRequest(tried.device, tried.userCode);
      return await ports.logins.begin(exchange, issuer, request, {
        use: (tx) => releaseTry(tx, counter, { reservedMs, nowMs: ports.context.clock.nowMs() }),
      });
    }
  }
}

/** Shows how the login of a device has ended. Raises the refusal of a path that there is not. */
export function showDeviceEnd(ports: DevicePorts, { exchange }: DeviceVisit, end: string): Reply {
  const page = renderEndPage(ports.layout, textsOf(ports, exchange), end);
  if (page === undefined) throw new PageRefusal("not-found");
  return page;
}

type UserCodeTry =
  | { readonly kind: "wrong" }
  | { readonly kind: "paused"; readonly retryAfterMs: number }
  | {
      readonly kind: "right";
      readonly device: DeviceAuthorization;
      readonly userCode: string;
      readonly counter: TryCounter;
      readonly reservedMs: number;
    };

/** Counts the try in a write before anything is compared; a right one counts until it is released. */
async function tryUserCode(
  { context }: DevicePorts,
  { remoteAddress }: Pick<Exchange, "remoteAddress">,
  typed: string,
): Promise<UserCodeTry> {
  const { database, keyring, clock } = context;
  const reservedMs = clock.nowMs();
  const key = tryKeyOf(keyring, "user-code", networkOf(remoteAddress) ?? "");
  const counter = { kind: "user-code", key } as const;
  const reserved = await database.write((tx) =>
    reserveTry(tx, { ...counter, nowMs: reservedMs, limits: userCodeLimits }),
  );
  if (!reserved.isAllowed) return { kind: "paused", retryAfterMs: reserved.retryAfterMs };
  const userCode = parseUserCode(typed);
  if (userCode === undefined) return { kind: "wrong" };
  const hashes = hashUserCode(keyring, userCode);
  const device = await database.read((tx) => findWaitingDevice(tx, { hashes, nowMs: clock.nowMs() }));
  return device === undefined ? { kind: "wrong" } : { kind: "right", device, userCode, counter, reservedMs };
}

function toLoginRequest(device: DeviceAuthorization, userCode: string): LoginRequest {
  const { applicationId, scopes, resources } = device;
  const { organizationId, identityProviderId } = toRequestedScopes(scopes);
  return {
    protocol: "device",
    applicationId,
    organizationId: organizationId === undefined ? undefined : toId(organizationId),
    identityProviderId,
    prompts: [],
    maxAgeSeconds: undefined,
    loginHint: undefined,
    uiLocales: [],
    wantsMfa: false,
    scopes,
    resources,
    subject: undefined,
    userCode: formatUserCode(userCode),
    data: toDeviceLoginData(device),
  };
}

function textsOf({ layout }: Pick<DevicePorts, "layout">, exchange: Pick<Exchange, "header">): Texts {
  return toTexts(layout.chooseLanguage({ acceptLanguage: exchange.header("accept-language") }));
}

function render(
  ports: DevicePorts,
  { exchange, issuer }: DeviceVisit,
  shown: {
    readonly typed: string;
    readonly problem?: string;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Reply {
  const own = ownCookieOf({ exchange, issuer, ports }, cookieName);
  const headers = { ...own.headers, ...shown.headers };
  return renderCodePage(ports.layout, {
    ...shown,
    texts: textsOf(ports, exchange),
    cookie: own.cookie,
    headers,
  });
}
