import type {
  IdentityProvider,
  SamlProviderConfig,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import {
  type SharedRequest,
  type SharedValues,
  toSharedRequest,
  toSharedValues,
} from "../shared/provider.ts";

/** A SAML identity provider as fields hold it, by the names in the requests. */
export type SamlProviderValues = SharedValues & {
  readonly "saml.entityId": string;
  readonly "saml.metadataUrl": string;
  readonly "saml.metadataXml": string;
  readonly "saml.idAttribute": string;
  readonly "saml.trustMail": boolean;
};

/** Returns the values of an identity provider; undefined: those of a new one. */
export function toSamlProviderValues(provider?: IdentityProvider): SamlProviderValues {
  const saml = provider?.config.case === "saml" ? provider.config.value : undefined;
  return {
    ...toSharedValues(provider),
    "saml.entityId": saml?.entityId ?? "",
    "saml.metadataUrl": saml?.metadataUrl ?? "",
    "saml.metadataXml": saml?.metadataXml ?? "",
    "saml.idAttribute": saml?.idAttribute ?? "",
    "saml.trustMail": saml?.trustMail ?? false,
  };
}

/** A SAML identity provider as requests have it. */
export interface SamlProviderRequest extends SharedRequest {
  readonly config: {
    readonly case: "saml";
    readonly value: Pick<
      SamlProviderConfig,
      "entityId" | "metadataUrl" | "metadataXml" | "idAttribute" | "trustMail"
    >;
  };
}

/** Returns the values as requests have them. */
export function toSamlProviderRequest(values: SamlProviderValues): SamlProviderRequest {
  return {
    ...toSharedRequest(values),
    config: {
      case: "saml",
      value: {
        entityId: values["saml.entityId"],
        metadataUrl: values["saml.metadataUrl"],
        metadataXml: values["saml.metadataXml"],
        idAttribute: values["saml.idAttribute"],
        trustMail: values["saml.trustMail"],
      },
    },
  };
}
