import { redirectTo } from "../login/layout.ts";
import { PageRefusal } from "../login/page-refusal.ts";
import type { ProviderLogins } from "../login/provider-logins.ts";
import { beginJwtLogin } from "./jwt/begin.ts";
import { type DirectoryLoginPorts, tryDirectory } from "./ldap/try-directory.ts";
import { beginCodeLogin } from "./oidc/begin.ts";
import type { OidcPorts } from "./oidc/ports.ts";
import { beginSamlProviderLogin } from "./saml/begin.ts";
import type { UpstreamPorts } from "./saml/ports.ts";

/** What logins at providers of every kind work with. */
export type AllPorts = OidcPorts & UpstreamPorts & DirectoryLoginPorts;

/** Creates the logins at identity providers: each kind sends browsers there in its own way, or asks for a password here. */
export function createProviderLogins(ports: AllPorts): ProviderLogins {
  return {
    async begin(browser, provider) {
      const { config } = provider;
      switch (config.kind) {
        case "oidc":
        case "template":
          return await beginCodeLogin(ports, browser, { ...provider, config });
        case "jwt":
          return await beginJwtLogin(ports, browser, { ...provider, config });
        case "saml":
          return await beginSamlProviderLogin(ports, browser, { ...provider, config });
        case "ldap": {
          const { id } = browser.state.interaction;
          return redirectTo(`${browser.issuer}/login/${id}/directory?provider=${provider.id}`);
        }
      }
    },
    async tryDirectory(browser, provider, typed) {
      const { config } = provider;
      if (config.kind !== "ldap") throw new PageRefusal("provider-off");
      return await tryDirectory(ports, browser, { ...provider, config }, typed);
    },
  };
}
