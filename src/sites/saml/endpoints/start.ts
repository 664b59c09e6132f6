import type { FeatureContext } from "../../../identity/context.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { redirectToIssuer } from "../../login/issuer-origin.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { requireEchoable } from "../bindings/relay-state.ts";
import { SamlFault } from "../bindings/saml-fault.ts";
import { beginSamlLogin, type BeginningPorts } from "../login/begin-login.ts";
import { chooseAcs } from "../messages/choose-acs.ts";
import type { KnownServiceProvider, ServiceProviders } from "../parties/service-providers.ts";

/** What logins that begin here work with. */
export interface StartPorts extends BeginningPorts {
  readonly context: Pick<FeatureContext, "database" | "clock" | "keyring">;
  readonly serviceProviders: ServiceProviders;
}

/**
 * Begins a login to an application without a request of it (SAML Profiles §4.1.5). Raises the page of an application that does not want
 * that: the same as for one that there is not.
 */
export async function startLogin(
  ports: StartPorts,
  { exchange, issuer }: { readonly exchange: Exchange; readonly issuer: string },
  applicationId: string,
): Promise<Reply> {
  const elsewhere = redirectToIssuer(exchange, issuer);
  if (elsewhere !== undefined) return elsewhere;
  const { context, serviceProviders } = ports;
  const sender = await context.database.read((tx) => serviceProviders.findById(tx, applicationId));
  if (sender?.isActive !== true || !sender.application.saml.settings.allowIdpInitiated)
    throw new PageRefusal("wrong-application-settings");
  const relayState = findRelayState(exchange) ?? defaultOf(sender);
  const acs = requireAcs(sender);
  const asked = { sender, request: undefined, isSigned: false, acs, relayState };
  return await beginSamlLogin(ports, { exchange, issuer }, asked);
}

function requireAcs({ serviceProvider }: KnownServiceProvider): string {
  try {
    return chooseAcs(undefined, serviceProvider).location;
  } catch (error) {
    throw error instanceof SamlFault ? new PageRefusal("wrong-application-settings") : error;
  }
}

const maxRelayStateBytes = 4096;

function findRelayState({ query }: Pick<Exchange, "query">): string | undefined {
  const [relayState, ...more] = new URLSearchParams(query).getAll("RelayState");
  if (relayState === undefined) return undefined;
  if (more.length > 0 || Buffer.byteLength(relayState) > maxRelayStateBytes)
    throw new SamlFault("relay-state", "the RelayState must come once, and have at most 4,096 bytes");
  return requireEchoable(relayState);
}

function defaultOf({ application }: KnownServiceProvider): string | undefined {
  const { defaultRelayState } = application.saml.settings;
  return defaultRelayState === "" ? undefined : defaultRelayState;
}
