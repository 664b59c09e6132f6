import type { ProviderLogins } from "../login/provider-logins.ts";
import { beginJwtLogin } from "./jwt/begin.ts";
import { beginOidcLogin } from "./oidc/begin.ts";
import type { OidcPorts } from "./oidc/ports.ts";
import { beginSamlProviderLogin } from "./saml/begin.ts";
import type { UpstreamPorts } from "./saml/ports.ts";

/** What logins at providers of every kind work with. */
export type AllPorts = OidcPorts & UpstreamPorts;

/** Creates the logins at identity providers: each kind sends browsers there in its own way. */
export function createProviderLogins(ports: AllPorts): ProviderLogins {
  return {
    async begin(browser, provider) {
      const { config } = provider;
      switch (config.kind) {
        case "oidc":
          return await beginOidcLogin(ports, browser, { ...provider, config });
        case "jwt":
          return await beginJwtLogin(ports, browser, { ...provider, config });
        case "saml":
          return await beginSamlProviderLogin(ports, browser, { ...provider, config });
      }
    },
  };
}
