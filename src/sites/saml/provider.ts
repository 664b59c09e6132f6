import type { FeatureContext } from "../../identity/context.ts";
import type { SamlKeys } from "../../identity/signing-keys/saml-keys.ts";
import type { BodyReader } from "../../kernel/http/bodies/body.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import { createLayout } from "../login/layout.ts";
import type { Logins } from "../login/logins.ts";
import { PageRefusal } from "../login/page-refusal.ts";
import { answerCertificate } from "./endpoints/certificate.ts";
import { answerMetadata } from "./endpoints/metadata.ts";
import { answerLogout, answerOngoingLogout, type SloPorts } from "./endpoints/slo.ts";
import { answerAuthnRequest } from "./endpoints/sso.ts";
import { startLogin } from "./endpoints/start.ts";
import { samlPaths } from "./parties/paths.ts";
import type { MessageNotes } from "./receiving/message-log.ts";
import type { RefusalLimit } from "./receiving/refusal-limit.ts";
import type { ServiceProviders } from "./parties/service-providers.ts";

/** What the identity provider is made of. */
export interface SamlProviderOptions extends MessageNotes {
  readonly context: FeatureContext;
  readonly samlKeys: SamlKeys;
  readonly bodies: BodyReader;
  readonly logins: Logins;
  readonly serviceProviders: ServiceProviders;
  readonly refusals: RefusalLimit;
}

/** Answers a request to one endpoint. The issuer comes with each: a free port is known only once it is open. */
export type SamlEndpoint = (exchange: Exchange, issuer: string) => Promise<Reply>;

/** The endpoints of the identity provider. They raise PageRefusal. */
export interface SamlProvider {
  readonly metadata: SamlEndpoint;
  readonly certificate: SamlEndpoint;
  readonly singleSignOn: SamlEndpoint;
  /** Where a browser comes back to for its answer; the last part of the path names the login. */
  readonly continue: SamlEndpoint;
  /** Begins a login to an application, which the last part of the path names. */
  readonly start: SamlEndpoint;
  readonly singleLogout: SamlEndpoint;
  /** A logout that goes on; the last part of the path names it. */
  readonly ongoingLogout: SamlEndpoint;
}

/** Creates the identity provider. Loaded with the first request, so that a start does not wait for it. */
export function createSamlProvider(options: SamlProviderOptions): SamlProvider {
  const { samlKeys, logins } = options;
  const sloPorts: SloPorts = { ...options, layout: createLayout(logins.brands) };
  return {
    metadata: (exchange, issuer) => answerMetadata(options, exchange, issuer),
    certificate: async (exchange) => answerCertificate(exchange, await samlKeys.listPublished()),
    singleSignOn: (exchange, issuer) => answerAuthnRequest(options, exchange, issuer),
    continue: (exchange, issuer) => logins.goOn(exchange, issuer, idBelow(exchange, samlPaths.continue)),
    start: (exchange, issuer) =>
      startLogin(options, { exchange, issuer }, partBelow(exchange, samlPaths.start)),
    singleLogout: (exchange, issuer) => answerLogout(sloPorts, exchange, issuer),
    ongoingLogout: (exchange, issuer) =>
      answerOngoingLogout(sloPorts, { exchange, issuer }, idBelow(exchange, samlPaths.singleLogout)),
  };
}

/** Returns the part of the path below another one. Raises the page of an error if that is none, or more than one. */
function partBelow({ path }: Pick<Exchange, "path">, above: string): string {
  const part = path.slice(above.length + 1);
  if (part === "" || part.includes("/")) throw new PageRefusal("not-found");
  return part;
}

/** The same for a part that is an id. */
function idBelow(exchange: Pick<Exchange, "path">, above: string): string {
  const id = partBelow(exchange, above);
  if (!/^[1-9][0-9]{0,18}$/.test(id)) throw new PageRefusal("not-found");
  return id;
}
