import type { InteractionId } from "../../../kernel/base/ids.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { findSecret } from "../../../kernel/events/secret-store.ts";
import type { ProviderVisit } from "../../../identity/protocol-state/provider-visits/provider-visit.ts";
import {
  endProviderVisit,
  findProviderVisit,
} from "../../../identity/protocol-state/provider-visits/repository.ts";
import { secretIdOfConfig } from "../../../identity/providers/kinds.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { findOfferedProvider } from "../../login/external/offered-providers.ts";
import { takeIdentity } from "../../login/external/take-identity.ts";
import { changeInteraction, type InteractionRequest, withWayBack } from "../../login/flow/visits.ts";
import { writeFor } from "../../login/flow/write-for.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { idpPage } from "../../login/pages/idp.ts";
import { readReturnedState, requireHeldVisit, type ReturnRequest } from "../provider/held-visit.ts";
import { keepAnswer, requireAnswer } from "../provider/kept-answer.ts";
import { readPostedForm } from "../provider/posted-form.ts";
import { withFailurePages } from "../provider/provider-failure.ts";
import { hashState, openVisit } from "../provider/sealed-visit.ts";
import { isBroughtFirst } from "./brought-code.ts";
import { identify, type Returned } from "./identify.ts";
import type { OidcPorts } from "./ports.ts";
import type { VisitSecrets } from "./visit.ts";

/** A form is some parameters of a redirect, and a name. */
const maxBodyBytes = 65_536;

/** Takes the form that a provider makes a browser post (OAuth 2.0 Form Post Response Mode). Nothing of it is read here: see `keepAnswer`. */
export async function keepReturn(request: ReturnRequest): Promise<Reply> {
  const form = await readPostedForm(request, maxBodyBytes);
  return await keepAnswer(request, { state: requireState(form), answer: form.toString() });
}

/**
 * Takes a browser that comes back from a provider (OpenID Connect Core §3.1.2.5), or goes on with the handle of a form. Before anything
 * that it brings is used, it has to show that the login was begun in it: otherwise the person that began the login would be let in as
 * the user of this browser, so the login ends. Its code is used once, whether the login succeeds or not.
 */
export async function takeReturn(ports: OidcPorts, request: ReturnRequest): Promise<Reply> {
  const query = new URLSearchParams(request.exchange.query);
  if (query.has("h")) {
    const { visit, answer } = await requireAnswer(request);
    return await takeBrought(ports, request, { visit, brought: new URLSearchParams(answer) });
  }
  const hash = hashState(requireState(query));
  const visit = await requireHeldVisit(request, (tx, nowMs) => findProviderVisit(tx, { hash, nowMs }));
  return await takeBrought(ports, request, { visit, brought: query });
}

/** A repeated state is none. */
function requireState(brought: URLSearchParams): string {
  const [state = "", ...more] = brought.getAll("state");
  if (more.length > 0) throw new PageRefusal("bad-request");
  return state;
}

async function takeBrought(
  ports: OidcPorts,
  request: ReturnRequest,
  { visit, brought }: { readonly visit: ProviderVisit; readonly brought: URLSearchParams },
): Promise<Reply> {
  const { exchange, issuer } = request;
  const returnUrl = new URL(`${issuer}${exchange.path}?${brought.toString()}`);
  const held = { ...request, id: visit.interactionId };
  return await withWayBack(held, async () => {
    const used = await useUp(ports, held, visit, brought.get("code") ?? undefined);
    const { provider } = used;
    const { logger, waitingLimit } = ports;
    const { requestId, remoteAddress } = exchange;
    const about = { logger, providerId: provider.id, requestId };
    const waiting = { organizationId: provider.details.resourceOwner, remoteAddress };
    const identity = await withFailurePages(about, () =>
      waitingLimit.run(waiting, () => identify(ports, { ...used, returnUrl })),
    );
    return await changeInteraction(held, idpPage, takeIdentity(held.ports.context, identity));
  });
}

/** Ends a visit in a write of its own, before anything is exchanged, and finds the provider, which must still be offered. */
async function useUp(
  { context }: OidcPorts,
  request: InteractionRequest & { readonly id: InteractionId },
  visit: ProviderVisit,
  code: string | undefined,
): Promise<Omit<Returned, "returnUrl">> {
  const { keyring, clock } = context;
  const used = await writeFor(request, async (tx) => {
    if (!(await endProviderVisit(tx, visit.hash))) return "begin-again";
    const isNewCode = code === undefined || (await isBroughtFirst(tx, code, clock.nowMs()));
    const state = await readReturnedState(tx, request);
    if (state instanceof PageRefusal) return state;
    const provider = await findOfferedProvider(tx, state, visit.providerId);
    const secrets = openVisit<VisitSecrets>(keyring, visit);
    if (provider === undefined || secrets === undefined) return "provider-off";
    const { config } = provider;
    if (config.kind !== "oidc" && config.kind !== "template") return "provider-off";
    // The answer is of the provider as it was: of another issuer, or for another client, after a change.
    if (config.issuer !== secrets.issuer || config.clientId !== secrets.clientId) return "provider-off";
    const secretId = secretIdOfConfig(config) ?? "";
    const stored = await findSecret(tx, secretId);
    if (stored === undefined) return "provider-off";
    const text = Buffer.from(keyring.decrypt("client-secret", stored, secretId)).toString();
    return { provider: { ...provider, config }, secret: new Secret(text), secrets, isNewCode };
  });
  if (used instanceof PageRefusal) throw used;
  if (typeof used === "string") throw new PageRefusal(used);
  return used;
}
