import { deflateRawSync } from "node:zlib";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { toDateTime } from "../../../kernel/xml/date-time.ts";
import { rsaSha256 } from "../../../kernel/xml/signatures/algorithms.ts";
import { type MessageSigner, signOctets } from "../../../kernel/xml/signatures/sign-element.ts";
import { element } from "../../../kernel/xml/write.ts";
import { findInteraction } from "../../../identity/logins/interactions/repository.ts";
import { putProviderVisit } from "../../../identity/protocol-state/provider-visits/repository.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { hashCookie } from "../../login/cookies/cookies.ts";
import { findMaxAgeSeconds } from "../../login/external/login-age.ts";
import { writeFor } from "../../login/flow/write-for.ts";
import { redirectTo } from "../../login/layout.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import type { LeavingBrowser } from "../../login/provider-logins.ts";
import { mayBeSentTo } from "../provider/may-be-sent-to.ts";
import { ProviderFailure, withFailurePages } from "../provider/provider-failure.ts";
import { sealVisit } from "../provider/sealed-visit.ts";
import { assertionNamespace, persistentFormat, postBinding, protocolNamespace, toOwnSide } from "./names.ts";
import type { SamlIdentityProvider, SamlVisitSecrets, UpstreamPorts } from "./ports.ts";

/** Sends the browser to a provider of SAML, with a signed AuthnRequest by HTTP-Redirect (SAML Core §3.4, Bindings §3.4). */
export async function beginSamlProviderLogin(
  ports: UpstreamPorts,
  browser: LeavingBrowser,
  { id, config, details }: SamlIdentityProvider,
): Promise<Reply> {
  const { context, upstreams, waitingLimit, logger, samlKeys } = ports;
  const { issuer, exchange, state, cookie } = browser;
  const { requestId, remoteAddress } = exchange;
  const { interaction } = state;
  const { resourceOwner } = details;
  const location = await withFailurePages({ logger, providerId: id, requestId }, async () => {
    const { singleSignOnUrl } = await upstreams.read({ id, config }, (work) =>
      waitingLimit.run({ organizationId: resourceOwner, remoteAddress }, work),
    );
    if (mayBeSentTo(ports, singleSignOnUrl)) return singleSignOnUrl;
    throw new ProviderFailure("unavailable", "SingleSignOnService is not https");
  });
  const secrets = newSecrets(context.random, config.issuer);
  const signer = await samlKeys.getSigner();
  const request = writeRequest({
    id: secrets.requestId,
    nowMs: context.clock.nowMs(),
    destination: location,
    own: toOwnSide(issuer),
    isPersistent: config.idAttribute === "",
    isForced: findMaxAgeSeconds(interaction.request) === 0,
  });
  const url = await toSignedUrl(location, { request, relayState: secrets.state, signer });
  const visit = sealVisit(
    context.keyring,
    {
      interactionId: interaction.id,
      providerId: id,
      organizationId: toId<OrganizationId>(resourceOwner),
      expirationMs: interaction.expirationMs,
    },
    secrets,
  );
  await writeFor({ ports, exchange }, async (tx) => {
    const asked = { id: interaction.id, cookieHash: hashCookie(cookie), nowMs: context.clock.nowMs() };
    if ((await findInteraction(tx, asked)) === undefined) throw new PageRefusal("begin-again");
    await putProviderVisit(tx, visit);
  });
  return redirectTo(url);
}

/** 32 random bytes for the state. The ID is an NCName: SAML Core §1.3.4. */
function newSecrets(random: Random, issuer: string): SamlVisitSecrets {
  return {
    state: Buffer.from(random.bytes(32)).toString("base64url"),
    requestId: `_${Buffer.from(random.bytes(20)).toString("hex")}`,
    issuer,
  };
}

/** A new login that is asked for would be none if the provider let the user in by its own session: ForceAuthn. */
function writeRequest(asked: {
  readonly id: string;
  readonly nowMs: number;
  readonly destination: string;
  readonly own: { readonly entityId: string; readonly acsUrl: string };
  readonly isPersistent: boolean;
  readonly isForced: boolean;
}): string {
  const { id, nowMs, destination, own } = asked;
  return element(
    "samlp:AuthnRequest",
    {
      "xmlns:samlp": protocolNamespace,
      ID: id,
      Version: "2.0",
      IssueInstant: toDateTime(nowMs),
      Destination: destination,
      AssertionConsumerServiceURL: own.acsUrl,
      ProtocolBinding: postBinding,
      ForceAuthn: asked.isForced ? "true" : undefined,
    },
    [
      element("saml:Issuer", { "xmlns:saml": assertionNamespace }, [own.entityId]),
      element("samlp:NameIDPolicy", {
        Format: asked.isPersistent ? persistentFormat : undefined,
        AllowCreate: "true",
      }),
    ],
  ).xml;
}

/** SAML Bindings §3.4.4.1. Keeps a query of the location, which has no fragment. */
async function toSignedUrl(
  location: string,
  message: { readonly request: string; readonly relayState: string; readonly signer: MessageSigner },
): Promise<string> {
  const request = encodeURIComponent(deflateRawSync(message.request).toString("base64"));
  const octets = `SAMLRequest=${request}&RelayState=${message.relayState}&SigAlg=${encodeURIComponent(rsaSha256)}`;
  const signature = encodeURIComponent(await signOctets(octets, message.signer));
  const { href } = new URL(location);
  const separator = href.includes("?") ? "&" : "?";
  return `${href}${separator}${octets}&Signature=${signature}`;
}
