import type { ApiApplication } from "./api/api-application.ts";
import type { OidcApplication } from "./oidc/oidc-application.ts";
import type { SamlApplication } from "./saml/saml-application.ts";

/**
 * An application of any kind. Each kind has a folder beside this file, with its own decisions, commands, columns and
 * messages, and is named here, in the lists of `repository.ts`, in `commands.ts` and in `rpc.ts`.
 */
export type Application = SamlApplication | OidcApplication | ApiApplication;
