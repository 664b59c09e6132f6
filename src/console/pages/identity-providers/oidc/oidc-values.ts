import { toEnum } from "../../../api/enums.ts";
import {
  type IdentityProvider,
  type OidcConfig,
  OidcMappingField,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import {
  type SharedRequest,
  type SharedValues,
  toSharedRequest,
  toSharedValues,
} from "../shared/provider.ts";

/** An OIDC identity provider as fields hold it, by the names in the requests: enums are the texts of their numbers. */
export type OidcProviderValues = SharedValues & {
  readonly "oidc.issuer": string;
  readonly "oidc.clientId": string;
  /** Empty unless it is being set. */
  readonly "oidc.clientSecret": string;
  readonly "oidc.scopes": readonly string[];
  readonly "oidc.usernameMapping": string;
  readonly "oidc.displayNameMapping": string;
};

/** Returns the values of an identity provider; undefined: those of a new one. */
export function toOidcProviderValues(provider?: IdentityProvider): OidcProviderValues {
  const oidc = provider?.config.case === "oidc" ? provider.config.value : undefined;
  return {
    ...toSharedValues(provider),
    "oidc.issuer": oidc?.issuer ?? "",
    "oidc.clientId": oidc?.clientId ?? "",
    "oidc.clientSecret": "",
    "oidc.scopes": oidc?.scopes ?? [],
    "oidc.usernameMapping": String(oidc?.usernameMapping ?? OidcMappingField.UNSPECIFIED),
    "oidc.displayNameMapping": String(oidc?.displayNameMapping ?? OidcMappingField.UNSPECIFIED),
  };
}

/** An OIDC identity provider as requests have it. */
export interface OidcProviderRequest extends SharedRequest {
  readonly config: {
    readonly case: "oidc";
    readonly value: Pick<
      OidcConfig,
      "issuer" | "clientId" | "clientSecret" | "scopes" | "usernameMapping" | "displayNameMapping"
    >;
  };
}

/** Returns the values as requests have them. Without a secret the stored one stays. */
export function toOidcProviderRequest(values: OidcProviderValues): OidcProviderRequest {
  const clientSecret = values["oidc.clientSecret"];
  return {
    ...toSharedRequest(values),
    config: {
      case: "oidc",
      value: {
        issuer: values["oidc.issuer"],
        clientId: values["oidc.clientId"],
        scopes: [...values["oidc.scopes"]],
        usernameMapping: toEnum(OidcMappingField, values["oidc.usernameMapping"]),
        displayNameMapping: toEnum(OidcMappingField, values["oidc.displayNameMapping"]),
        ...(clientSecret === "" ? {} : { clientSecret }),
      },
    },
  };
}
