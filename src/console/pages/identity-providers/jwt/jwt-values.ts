import type {
  IdentityProvider,
  JwtConfig,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import {
  type SharedRequest,
  type SharedValues,
  toSharedRequest,
  toSharedValues,
} from "../shared/provider.ts";

/** The header that carries the token where none is named. */
const usualHeader = "authorization";

/** A JWT identity provider as fields hold it, by the names in the requests. */
export type JwtProviderValues = SharedValues & {
  readonly "jwt.jwtEndpoint": string;
  readonly "jwt.issuer": string;
  readonly "jwt.keysEndpoint": string;
  readonly "jwt.headerName": string;
  readonly "jwt.audiences": readonly string[];
};

/** Returns the values of an identity provider; undefined: those of a new one. */
export function toJwtProviderValues(provider?: IdentityProvider): JwtProviderValues {
  const jwt = provider?.config.case === "jwt" ? provider.config.value : undefined;
  return {
    ...toSharedValues(provider),
    "jwt.jwtEndpoint": jwt?.jwtEndpoint ?? "",
    "jwt.issuer": jwt?.issuer ?? "",
    "jwt.keysEndpoint": jwt?.keysEndpoint ?? "",
    "jwt.headerName": jwt?.headerName ?? usualHeader,
    "jwt.audiences": jwt?.audiences ?? [],
  };
}

/** A JWT identity provider as requests have it. */
export interface JwtProviderRequest extends SharedRequest {
  readonly config: {
    readonly case: "jwt";
    readonly value: Pick<JwtConfig, "jwtEndpoint" | "issuer" | "keysEndpoint" | "headerName" | "audiences">;
  };
}

/** Returns the values as requests have them. */
export function toJwtProviderRequest(values: JwtProviderValues): JwtProviderRequest {
  return {
    ...toSharedRequest(values),
    config: {
      case: "jwt",
      value: {
        jwtEndpoint: values["jwt.jwtEndpoint"],
        issuer: values["jwt.issuer"],
        keysEndpoint: values["jwt.keysEndpoint"],
        headerName: values["jwt.headerName"],
        audiences: [...values["jwt.audiences"]],
      },
    },
  };
}
