import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { networkOf } from "../../../kernel/base/network.ts";
import { limitReached } from "../../../kernel/base/problem.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import type { SamlKeys } from "../../../identity/signing-keys/saml-keys.ts";
import { reserveTry } from "../../../identity/logins/tries/repository.ts";
import { type TryLimits, tryKeyOf } from "../../../identity/logins/tries/try.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import type { LoginPrompt, LoginRequest } from "../../login/login-request.ts";
import type { Logins } from "../../login/logins.ts";
import { nameIdFormatUris } from "../../../identity/applications/saml/saml-settings.ts";
import { chooseContext, type ContextWish } from "../messages/authn-context.ts";
import type { AuthnRequest } from "../messages/authn-request.ts";
import { chooseNameIdFormat } from "../messages/choose-name-id.ts";
import { requireSupported } from "../messages/conditions.ts";
import { type LoginFailure, SamlRefusal } from "../messages/status.ts";
import type { MessageNotes } from "../receiving/message-log.ts";
import type { KnownServiceProvider } from "../parties/service-providers.ts";
import { chooseEncryption } from "./encryption.ts";
import { toSamlLoginData } from "./login-data.ts";

/** What logins begin with. */
export interface BeginningPorts extends MessageNotes {
  readonly context: Pick<FeatureContext, "clock" | "keyring">;
  readonly samlKeys: Pick<SamlKeys, "getSigner">;
  readonly logins: Pick<Logins, "begin">;
}

/** A login that a service provider asks for, or that begins here in its name. */
export interface AskedSamlLogin {
  readonly sender: KnownServiceProvider;
  /** Undefined: nobody has asked. */
  readonly request: AuthnRequest | undefined;
  readonly isSigned: boolean;
  /** The location of the endpoint that the answer goes to. */
  readonly acs: string;
  readonly relayState: string | undefined;
}

/** How many logins without a signed request may wait, or be refused, for people at one address. */
const unsignedLimits: TryLimits & { readonly kind: "window" } = {
  kind: "window",
  maxTries: 100,
  windowMs: 60_000,
};

/**
 * Begins the login. If no user could log in, the service provider gets the error at once. Raises the page of an application that
 * demands encryption without a key for it, and LIMIT_REACHED.
 */
export async function beginSamlLogin(
  ports: BeginningPorts,
  { exchange, issuer }: { readonly exchange: Exchange; readonly issuer: string },
  asked: AskedSamlLogin,
): Promise<Reply> {
  const { clock } = ports.context;
  chooseEncryption(ports, asked.sender);
  await ports.samlKeys.getSigner(); // the first one is made now: no write can wait for that
  const nowMs = clock.nowMs();
  const checked = check(asked, nowMs);
  const { failure } = checked;
  const request = toLoginRequest(asked, { ...checked, nowMs, hint: hintOf(exchange) });
  return await ports.logins.begin(exchange, issuer, request, {
    unlessFinished: asked.isSigned ? undefined : (tx) => countUnsigned(tx, ports.context, exchange),
    // Any refusal will do: the protocol answers what it has kept.
    refusal: failure === undefined ? undefined : "access_denied",
  });
}

interface CheckedRequest {
  /** Undefined without a wish that can be granted. */
  readonly wish: ContextWish | undefined;
  readonly failure: LoginFailure | undefined;
}

function check({ sender, request }: AskedSamlLogin, nowMs: number): CheckedRequest {
  const { serviceProvider, application } = sender;
  const { settings } = application.saml;
  try {
    if (request !== undefined) requireSupported(request, { audience: serviceProvider.entityId, nowMs });
    chooseNameIdFormat({ policy: request?.nameIdPolicy, settings, serviceProvider });
    return { wish: chooseContext(request?.requestedContext), failure: undefined };
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error;
    return { wish: undefined, failure: error.status };
  }
}

function toLoginRequest(
  { sender, request, acs, relayState }: AskedSamlLogin,
  {
    wish,
    failure,
    nowMs,
    hint,
  }: CheckedRequest & { readonly nowMs: number; readonly hint: string | undefined },
): LoginRequest {
  const prompts: LoginPrompt[] = [];
  if (request?.isPassive === true) prompts.push("none");
  if (request?.isForceAuthn === true) prompts.push("login");
  return {
    protocol: "saml",
    applicationId: sender.application.id,
    organizationId: undefined,
    prompts,
    maxAgeSeconds: undefined,
    loginHint: nameOf(request) ?? hint,
    uiLocales: [],
    wantsMfa: wish?.level === 2,
    subject: undefined, // see `isMeant` of the protocol
    scopes: [], // see `listGift` of the protocol
    data: toSamlLoginData({ request, acs, relayState, requestMs: nowMs, failure }),
  };
}

const maxHintLength = 256;

/** Fills the field for the name, as some products ask for. */
function hintOf({ query }: Pick<Exchange, "query">): string | undefined {
  const hint = new URLSearchParams(query).get("login_hint") ?? "";
  return hint === "" || hint.length > maxHintLength || /\p{Cc}/u.test(hint) ? undefined : hint;
}

/** A name that people know themselves by: no persistent or transient one. */
function nameOf(request: AuthnRequest | undefined): string | undefined {
  const subject = request?.subject;
  if (subject?.kind !== "name-id") return undefined;
  const { format, value } = subject.nameId;
  const isReadable = format === nameIdFormatUris.EMAIL_ADDRESS || format === nameIdFormatUris.USERNAME;
  return isReadable && value.length <= maxHintLength ? value : undefined;
}

/** Anybody can make unsigned requests, and each leaves a row, or a refusal that we sign. */
async function countUnsigned(
  tx: WriteTransaction,
  { keyring, clock }: BeginningPorts["context"],
  { remoteAddress }: Pick<Exchange, "remoteAddress">,
): Promise<void> {
  const key = tryKeyOf(keyring, "saml-request", networkOf(remoteAddress) ?? "");
  const nowMs = clock.nowMs();
  const reserved = await reserveTry(tx, { kind: "saml-request", key, nowMs, limits: unsignedLimits });
  if (!reserved.isAllowed) throw limitReached("saml_request", unsignedLimits.maxTries, reserved.retryAfterMs);
}
