import { hash } from "node:crypto";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { signedPartOf } from "../../../kernel/base/signature.ts";
import { useAssertion } from "../../../identity/protocol-state/assertion-uses/repository.ts";
import { findIdentityProvider } from "../../../identity/providers/repository.ts";
import type { JwtConfig } from "../../../identity/providers/jwt.ts";
import { handleMs, type JwtLogin } from "../../../identity/protocol-state/jwt-logins/jwt-login.ts";
import {
  type AskedJwtLogin,
  findWaitingJwtLogin,
  putBroughtIdentity,
} from "../../../identity/protocol-state/jwt-logins/repository.ts";
import { findOrganization } from "../../../identity/organizations/repository.ts";
import { findIdentityLink } from "../../../identity/people/identity-links/repository.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { newCookieValue } from "../../login/cookies/cookies.ts";
import { sealIdentity } from "../../login/external/sealed-identity.ts";
import type { InteractionRequest } from "../../login/flow/visits.ts";
import { writeFor } from "../../login/flow/write-for.ts";
import { redirectTo } from "../../login/layout.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { toIdentity, toTimeMs } from "../provider/identity.ts";
import { ProviderFailure, withFailurePages } from "../provider/provider-failure.ts";
import type { ProviderKeys } from "../provider/provider-keys.ts";
import type { Wait } from "../provider/remembered.ts";
import type { WaitingLimit } from "../provider/waiting-limit.ts";
import { readSignedClaims } from "../provider/signed-token.ts";
import { checkToken, type UnverifiedToken } from "./token.ts";
import { readTokenHeader } from "./token-header.ts";

/** A request that a gateway forwards: it may come without the cookie of the interaction. */
export interface GatewayRequest extends InteractionRequest {
  /** The `userAgentID` that the browser was sent with. */
  readonly userAgentId: string;
  readonly keys: ProviderKeys;
  readonly waitingLimit: WaitingLimit;
}

/**
 * Takes the JWT that a gateway adds to the request of a browser. Whose browser it is, nobody can know here, so the interaction
 * learns nothing: the person whom the JWT names is kept under a handle, for one minute, until the browser of the interaction brings
 * it. A JWT is taken once in an interaction; another interaction may bring it again, because gateways send theirs for as long as it
 * is good.
 */
export async function answerGateway(request: GatewayRequest): Promise<Reply> {
  const { ports, exchange, id, userAgentId } = request;
  const { database, clock } = ports.context;
  const asked: AskedJwtLogin = {
    interactionId: id,
    userAgentHash: sha256(userAgentId),
    nowMs: clock.nowMs(),
  };
  const found = await database.read((tx) => findLogin(tx, asked));
  const { providerId } = found.login;
  const about = { logger: ports.logger, providerId, requestId: exchange.requestId };
  return await withFailurePages(about, () => keepIdentity(request, asked, found));
}

async function keepIdentity(
  request: GatewayRequest,
  asked: AskedJwtLogin,
  { login, config }: FoundLogin,
): Promise<Reply> {
  const { ports, issuer, id } = request;
  const { clock, keyring, random } = ports.context;
  const { providerId, expirationMs } = login;
  const { text, subject, claims } = await verify(request, { login, config });
  // A gateway may send the same JWT for a day: without auth_time nothing later than its making is sure.
  const authTimeMs = toTimeMs(claims["auth_time"]) ?? toTimeMs(claims["iat"]);
  const identity = toIdentity({ providerId, issuer: config.issuer, subject, authTimeMs }, claims);
  const handle = newCookieValue(random).reveal();
  const brought = {
    handleHash: sha256(handle),
    identity: sealIdentity(keyring, id, identity),
    expirationMs: Math.min(clock.nowMs() + handleMs, expirationMs),
  };
  // Without the signature: from one of ECDSA anybody can make another that is as good.
  const use = { hash: sha256(JSON.stringify(["jwt login", id, signedPartOf(text)])), expirationMs };
  await writeFor(request, async (tx) => {
    const userId = (await findIdentityLink(tx, providerId, subject))?.userId;
    const isFirst =
      (await useAssertion(tx, use)) && (await putBroughtIdentity(tx, asked, { ...brought, userId }));
    if (!isFirst) throw new ProviderFailure("refused", "used before");
  });
  return redirectTo(`${issuer}/login/${id}/idp?h=${handle}`);
}

interface FoundLogin {
  readonly login: JwtLogin;
  readonly config: JwtConfig;
}

/** Whether the login still offers the provider is checked when the identity is taken, by the state of the interaction. */
async function findLogin(tx: ReadTransaction, asked: AskedJwtLogin): Promise<FoundLogin> {
  const login = await findWaitingJwtLogin(tx, asked);
  if (login === undefined) throw new PageRefusal("begin-again");
  const { organizationId, providerId } = login;
  const organization = await findOrganization(tx, organizationId);
  const provider = await findIdentityProvider(tx, organizationId, providerId);
  if (organization?.state !== "ACTIVE" || provider?.state !== "ACTIVE") throw new PageRefusal("provider-off");
  if (provider.config.kind !== "jwt") throw new Error("a provider has changed its kind");
  return { login, config: provider.config };
}

async function verify(
  { ports, exchange, keys, waitingLimit }: GatewayRequest,
  { login, config }: FoundLogin,
): Promise<UnverifiedToken> {
  const { providerId, organizationId } = login;
  const { remoteAddress } = exchange;
  const text = readTokenHeader(exchange.request, config.headerName);
  if (text === undefined) throw new ProviderFailure("refused", "header");
  const checked = checkToken(text, config, ports.context.clock.nowMs());
  if ("fault" in checked) throw new ProviderFailure("refused", checked.fault);
  const source = { providerId, url: config.keysEndpoint };
  const wait: Wait = (work) => waitingLimit.run({ organizationId, remoteAddress }, work);
  const limited: ProviderKeys = {
    find: (asked, header) => keys.find(asked, header, wait),
    findAgain: (asked, header) => keys.findAgain(asked, header, wait),
  };
  const isSigned = (await readSignedClaims(limited, source, text)) !== undefined;
  if (!isSigned) throw new ProviderFailure("refused", "signature");
  return checked;
}

function sha256(text: string): string {
  return hash("sha256", text, "base64url");
}
