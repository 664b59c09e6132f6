import { createDirectoryServers } from "../../identity/directories/servers.ts";
import type { Directories } from "../../kernel/base/directory/directory.ts";
import type { Site } from "../../kernel/http/site.ts";
import type { LoginRouter } from "../login/flow/router.ts";
import type { LoginPages } from "../login/flow/sites.ts";
import type { LoginPorts } from "../login/ports.ts";
import type { ProviderLogins } from "../login/provider-logins.ts";
import { federationPaths } from "./provider/paths.ts";
import type { FederationPorts } from "./provider/ports.ts";
import type { UpstreamPorts } from "./saml/ports.ts";

/** The logins at identity providers. */
export interface Federation {
  /** Loads what sends browsers to providers. */
  readonly load: () => Promise<ProviderLogins>;
  /** Creates the sites that browsers come back to. */
  createSites(pages: Pick<LoginPages, "createSite">): readonly Site[];
}

/** What logins at identity providers are made of; the rest is made with the first of them. */
export interface FederationOptions
  extends Omit<FederationPorts, "keys" | "waitingLimit">,
    Pick<UpstreamPorts, "samlKeys"> {
  readonly directories: Directories;
}

/** Creates the logins at identity providers. Their code is loaded with the first request to the pages. */
export function createFederation(options: FederationOptions): Federation {
  let loading: Promise<LoadedFederation> | undefined;
  const load = (): Promise<LoadedFederation> => {
    loading ??= loadFederation(options);
    return loading;
  };
  return {
    load: async () => (await load()).providers,
    createSites: ({ createSite }) => [
      createSite({
        name: "identity providers",
        paths: Object.values(federationPaths),
        loadRouter: async () => (await load()).createRouter,
      }),
    ],
  };
}

interface LoadedFederation {
  readonly providers: ProviderLogins;
  readonly createRouter: (login: LoginPorts) => LoginRouter;
}

async function loadFederation(options: FederationOptions): Promise<LoadedFederation> {
  const [
    { createProviderLogins },
    { createFederationRouter },
    { createProviderKeys },
    discovery,
    styles,
    limit,
    upstreams,
  ] = await Promise.all([
    import("./provider-logins.ts"),
    import("./router.ts"),
    import("./provider/provider-keys.ts"),
    import("./oidc/discovery.ts"),
    import("./oidc/secret-styles.ts"),
    import("./provider/waiting-limit.ts"),
    import("./saml/upstream-source.ts"),
  ]);
  const { context, fetcher } = options;
  const { clock } = context;
  const reading = { clock, fetcher };
  const ports = {
    ...options,
    keys: createProviderKeys(reading),
    discovery: discovery.createDiscovery(reading),
    knownStyles: styles.createKnownStyles(),
    upstreams: upstreams.createUpstreamSource(reading),
    waitingLimit: limit.createWaitingLimit(),
    servers: createDirectoryServers(options.directories, clock),
  };
  return { providers: createProviderLogins(ports), createRouter: createFederationRouter(ports) };
}
