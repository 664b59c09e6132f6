import { hash } from "node:crypto";
import type { InteractionId } from "../../../kernel/base/ids.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { verifySigned } from "../../../kernel/xml/signatures/verify-document.ts";
import { useAssertion } from "../../../identity/protocol-state/assertion-uses/repository.ts";
import type { ProviderVisit } from "../../../identity/protocol-state/provider-visits/provider-visit.ts";
import { endProviderVisit } from "../../../identity/protocol-state/provider-visits/repository.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import { findOfferedProvider } from "../../login/external/offered-providers.ts";
import { takeIdentity } from "../../login/external/take-identity.ts";
import { changeInteraction, type InteractionRequest, withWayBack } from "../../login/flow/visits.ts";
import { writeFor } from "../../login/flow/write-for.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { idpPage } from "../../login/pages/idp.ts";
import { readReturnedState, type ReturnRequest } from "../provider/held-visit.ts";
import { keepAnswer, requireAnswer } from "../provider/kept-answer.ts";
import { readPostedForm } from "../provider/posted-form.ts";
import { ProviderFailure, withFailurePages } from "../provider/provider-failure.ts";
import { openVisit } from "../provider/sealed-visit.ts";
import { decryptAssertion } from "./decrypt-assertion.ts";
import { toOwnSide } from "./names.ts";
import { openResponse, type ResponseOpener } from "./open-response.ts";
import type { SamlIdentityProvider, SamlVisitSecrets, UpstreamPorts } from "./ports.ts";
import { readAssertion } from "./read-assertion.ts";
import { toSamlIdentity } from "./to-identity.ts";

/** A message of 128 KiB in base64, and encoded for a form. */
const maxBodyBytes = 262_144;

/** Takes the form with which a provider answers (SAML Bindings §3.5). Nothing of the message is read here: see `keepAnswer`. */
export async function keepSamlAnswer(request: ReturnRequest): Promise<Reply> {
  const form = await readPostedForm(request, maxBodyBytes);
  const [[answer = "", ...otherAnswers], [state = "", ...otherStates]] = [
    form.getAll("SAMLResponse"),
    form.getAll("RelayState"),
  ];
  if (answer === "" || otherAnswers.length > 0 || otherStates.length > 0)
    throw new PageRefusal("bad-request");
  return await keepAnswer(request, { state, answer });
}

/**
 * Takes a browser that goes on with the answer of a provider of SAML. It has to show first that the login was begun in it. An answer is
 * used once, whether the login succeeds or not.
 */
export async function takeSamlAnswer(ports: UpstreamPorts, request: ReturnRequest): Promise<Reply> {
  const { visit, answer } = await requireAnswer(request);
  const held = { ...request, id: visit.interactionId };
  return await withWayBack(held, async () => {
    const used = await useUp(ports, held, visit);
    const { provider } = used;
    const { logger, waitingLimit } = ports;
    const { requestId, remoteAddress } = request.exchange;
    const about = { logger, providerId: provider.id, requestId };
    const waiting = { organizationId: provider.details.resourceOwner, remoteAddress };
    const identity = await withFailurePages(about, () =>
      waitingLimit.run(waiting, () => identify(ports, held, { ...used, visit, answer })),
    );
    return await changeInteraction(held, idpPage, takeIdentity(held.ports.context, identity));
  });
}

interface UsedVisit {
  readonly provider: SamlIdentityProvider;
  readonly secrets: SamlVisitSecrets;
}

/** Ends a visit in a write of its own, before anything is read, and finds the provider, which must still be offered. */
async function useUp(
  { context }: UpstreamPorts,
  request: InteractionRequest & { readonly id: InteractionId },
  visit: ProviderVisit,
): Promise<UsedVisit> {
  const used = await writeFor(request, async (tx) => {
    if (!(await endProviderVisit(tx, visit.hash))) return "begin-again";
    const state = await readReturnedState(tx, request);
    if (state instanceof PageRefusal) return state;
    const provider = await findOfferedProvider(tx, state, visit.providerId);
    const secrets = openVisit<SamlVisitSecrets>(context.keyring, visit);
    if (provider?.config.kind !== "saml" || secrets === undefined) return "provider-off";
    const { config } = provider;
    if (config.issuer !== secrets.issuer) return "provider-off"; // the answer is of the provider as it was
    return { provider: { ...provider, config }, secrets };
  });
  if (used instanceof PageRefusal) throw used;
  if (typeof used === "string") throw new PageRefusal(used);
  return used;
}

interface Answered extends UsedVisit {
  readonly visit: ProviderVisit;
  readonly answer: string;
}

/** Verifies and checks the answer, and takes its assertion, once. Raises a ProviderFailure. */
async function identify(
  ports: UpstreamPorts,
  request: InteractionRequest,
  { provider, secrets, visit, answer }: Answered,
): Promise<ExternalIdentity> {
  const { requestId } = secrets;
  const { entityId } = provider.config;
  const own = toOwnSide(request.issuer);
  const opener = await createOpener(ports, provider);
  const assertion = await openResponse(answer, { acsUrl: own.acsUrl, requestId, entityId }, opener);
  const nowMs = ports.context.clock.nowMs();
  const checked = readAssertion(assertion, { own, requestId, providerEntityId: entityId, nowMs });
  const identity = toSamlIdentity(provider.id, provider.config, checked);
  // It answers a request of an interaction, so it is of no use after that.
  const name = JSON.stringify(["assertion of a provider", entityId, checked.id]);
  const use = { hash: hash("sha256", name, "base64url"), expirationMs: visit.expirationMs };
  if (!(await writeFor(request, (tx) => useAssertion(tx, use))))
    throw new ProviderFailure("refused", "assertion used before");
  return identity;
}

/** A signature that no known key has made may be by a new one: the metadata are read again, once a minute at most. */
async function createOpener(
  { upstreams, samlKeys }: UpstreamPorts,
  provider: SamlIdentityProvider,
): Promise<ResponseOpener> {
  const { signingKeys } = await upstreams.read(provider);
  const keys = await samlKeys.openPrivateKeys();
  return {
    async verify(signed, signature) {
      const finding = await verifySigned(signed, signature, signingKeys);
      if (finding.kind === "good") return;
      const reason = finding.kind === "bad" ? finding.reason : finding.kind;
      const renewed = ["key", "value"].includes(reason) ? await upstreams.readAgain(provider) : undefined;
      const again = renewed && (await verifySigned(signed, signature, renewed.signingKeys));
      if (again?.kind === "good") return;
      const algorithm = finding.kind === "bad" ? (finding.algorithm ?? "") : "";
      throw new ProviderFailure("refused", `signature ${reason} ${algorithm}`.trim());
    },
    decrypt: (encrypted, isSigned) => decryptAssertion(encrypted, { keys, isSigned }),
  };
}
