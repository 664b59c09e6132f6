import type { Logger } from "pino";
import type { ServiceProviderReader } from "../../identity/applications/saml/service-provider-reader.ts";
import type { FeatureContext } from "../../identity/context.ts";
import type { SamlKeys } from "../../identity/signing-keys/saml-keys.ts";
import type { Metrics } from "../../kernel/http/metrics/metrics.ts";
import type { Site } from "../../kernel/http/site.ts";
import type { BrowserLogouts } from "../login/standalone/browser-logouts.ts";
import type { LoginProtocol } from "../login/login-protocol.ts";
import { samlPaths } from "./parties/paths.ts";
import { createPageLogouts } from "./logout/page-logouts.ts";
import { createServiceProviders } from "./parties/service-providers.ts";
import { createRefusalLimit } from "./receiving/refusal-limit.ts";
import { createSamlSites, type SamlSitesOptions } from "./sites.ts";

/** The identity provider of SAML 2.0. */
export interface Saml {
  /** Loads what answers the logins that service providers ask for. */
  readonly loadLogins: () => Promise<LoginProtocol>;
  /** The logouts that begin at pages of ours. */
  readonly browserLogouts: BrowserLogouts;
  createSites(served: Pick<SamlSitesOptions, "issuer" | "bodies" | "logins">): readonly Site[];
}

/** Creates the identity provider. Its code is loaded with the first request. */
export function createSaml({
  context,
  samlKeys,
  logger,
  metrics,
  serviceProviders: reader,
}: {
  readonly context: FeatureContext;
  readonly samlKeys: SamlKeys;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "countSamlMessage">;
  readonly serviceProviders: ServiceProviderReader;
}): Saml {
  const ports = {
    context,
    samlKeys,
    logger,
    serviceProviders: createServiceProviders(reader),
    refusals: createRefusalLimit(context.clock),
    countMessage: metrics.countSamlMessage,
  };
  return {
    loadLogins: async () => (await import("./login/login-protocol.ts")).createSamlLogins(ports),
    browserLogouts: createPageLogouts(context, samlPaths.singleLogout),
    createSites: (served) => createSamlSites({ ...ports, ...served }),
  };
}
