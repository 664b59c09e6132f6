import type { InteractionId } from "../../../kernel/base/ids.ts";
import { isOfOtherKind, readClientJwt } from "../../../kernel/base/jws.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { findSecret } from "../../../kernel/events/secret-store.ts";
import type { ProviderVisit } from "../../../identity/protocol-state/provider-visits/provider-visit.ts";
import {
  endProviderVisit,
  findProviderVisit,
} from "../../../identity/protocol-state/provider-visits/repository.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import { findOfferedProvider } from "../../login/external/offered-providers.ts";
import { takeIdentity } from "../../login/external/take-identity.ts";
import { changeInteraction, type InteractionRequest, withWayBack } from "../../login/flow/visits.ts";
import { writeFor } from "../../login/flow/write-for.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { idpPage } from "../../login/pages/idp.ts";
import { readReturnedState, requireHeldVisit, type ReturnRequest } from "../provider/held-visit.ts";
import { ProviderFailure, withFailurePages } from "../provider/provider-failure.ts";
import { hashState, openVisit } from "../provider/sealed-visit.ts";
import { readSignedClaims } from "../provider/signed-token.ts";
import { isBroughtFirst } from "./brought-code.ts";
import { findIdTokenFault } from "./id-token.ts";
import { toIdentity, toTimeMs } from "../provider/identity.ts";
import type { OidcPorts, OidcProvider } from "./ports.ts";
import { askUserinfo } from "./userinfo.ts";
import type { VisitSecrets } from "./visit.ts";

/**
 * Takes a browser that comes back from a provider (OpenID Connect Core §3.1.2.5). Before anything that it brings is used, it has to
 * show that the login was begun in it: otherwise the person that began the login would be let in as the user of this browser, so
 * the login ends. Its code is used once, whether the login succeeds or not.
 */
export async function takeReturn(ports: OidcPorts, request: ReturnRequest): Promise<Reply> {
  const returnUrl = new URL(`${request.issuer}${request.exchange.path}?${request.exchange.query ?? ""}`);
  const [state = "", ...more] = returnUrl.searchParams.getAll("state");
  if (more.length > 0) throw new PageRefusal("bad-request");
  const visit = await requireHeldVisit(request, (tx, nowMs) =>
    findProviderVisit(tx, { hash: hashState(state), nowMs }),
  );
  const held = { ...request, id: visit.interactionId };
  return await withWayBack(held, async () => {
    const used = await useUp(ports, held, visit, returnUrl.searchParams.get("code") ?? undefined);
    const { provider } = used;
    const { logger, waitingLimit } = ports;
    const { requestId, remoteAddress } = request.exchange;
    const about = { logger, providerId: provider.id, requestId };
    const waiting = { organizationId: provider.details.resourceOwner, remoteAddress };
    const identity = await withFailurePages(about, () =>
      waitingLimit.run(waiting, () => identify(ports, { ...used, returnUrl })),
    );
    return await changeInteraction(held, idpPage, takeIdentity(held.ports.context, identity));
  });
}

interface UsedVisit {
  readonly provider: OidcProvider;
  readonly clientSecret: Secret;
  readonly secrets: VisitSecrets;
  /** Whether no browser has brought the code before. */
  readonly isNewCode: boolean;
}

/** Ends a visit in a write of its own, before anything is exchanged, and finds the provider, which must still be offered. */
async function useUp(
  { context }: OidcPorts,
  request: InteractionRequest & { readonly id: InteractionId },
  visit: ProviderVisit,
  code: string | undefined,
): Promise<UsedVisit> {
  const { keyring, clock } = context;
  const used = await writeFor(request, async (tx) => {
    if (!(await endProviderVisit(tx, visit.hash))) return "begin-again";
    const isNewCode = code === undefined || (await isBroughtFirst(tx, code, clock.nowMs()));
    const state = await readReturnedState(tx, request);
    if (state instanceof PageRefusal) return state;
    const provider = await findOfferedProvider(tx, state, visit.providerId);
    const secrets = openVisit<VisitSecrets>(keyring, visit);
    if (provider?.config.kind !== "oidc" || secrets === undefined) return "provider-off";
    const { config } = provider;
    // The answer is of the provider as it was: of another issuer, or for another client, after a change.
    if (config.issuer !== secrets.issuer || config.clientId !== secrets.clientId) return "provider-off";
    const stored = await findSecret(tx, config.clientSecretId);
    if (stored === undefined) return "provider-off";
    const text = Buffer.from(keyring.decrypt("client-secret", stored, config.clientSecretId)).toString();
    return { provider: { ...provider, config }, clientSecret: new Secret(text), secrets, isNewCode };
  });
  if (used instanceof PageRefusal) throw used;
  if (typeof used === "string") throw new PageRefusal(used);
  return used;
}

/** Asks the provider for the user of the login, and checks its answer. Raises a ProviderFailure. */
async function identify(
  { context, fetcher, keys, discovery, knownStyles, logger }: OidcPorts,
  { provider, clientSecret, secrets, isNewCode, returnUrl }: UsedVisit & { readonly returnUrl: URL },
): Promise<ExternalIdentity> {
  if (!isNewCode) throw new ProviderFailure("refused", "code brought before");
  const { id: providerId } = provider;
  const { issuer, clientId, nonce } = secrets;
  const { clock } = context;
  const metadata = await discovery.read({ id: providerId, issuer });
  const { exchangeCode } = await import("./exchange-code.ts"); // with the library, which a start does not wait for
  const { idToken, accessToken } = await exchangeCode({
    fetcher,
    clock,
    knownStyles,
    providerKey: `${providerId} ${provider.details.sequence}`,
    metadata,
    client: { clientId, clientSecret },
    secrets,
    returnUrl,
  });
  const { algorithms, keysUrl, userinfoEndpoint: url } = metadata;
  const claims = await readSignedClaims(keys, { providerId, url: keysUrl }, idToken, algorithms);
  if (claims === undefined) throw new ProviderFailure("refused", "ID token signature");
  const fault = isOfOtherKind(readClientJwt(idToken)?.header ?? {})
    ? "typ"
    : findIdTokenFault(claims, { issuer, clientId, nonce, nowMs: clock.nowMs() });
  if (fault !== undefined) throw new ProviderFailure("refused", `ID token ${fault}`);
  const subject = String(claims["sub"]);
  const asked = url === undefined ? undefined : { providerId, url, accessToken, subject };
  const userinfo = asked && (await askUserinfo({ fetcher, logger }, asked));
  const authTimeMs = toTimeMs(claims["auth_time"]);
  return toIdentity({ providerId, issuer, subject, authTimeMs }, claims, userinfo);
}
