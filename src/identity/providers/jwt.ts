import type { EventPayloads } from "../../kernel/events/payloads.ts";
import type { JwtConfigPayload } from "../../kernel/events/provider-payloads.ts";

/** The source of an existing JWT, and the issuer and audience that it must name. */
export interface JwtSource {
  readonly jwtEndpoint: string;
  readonly issuer: string;
  readonly keysEndpoint: string;
  /** Name of the HTTP header that carries the JWT. Empty: `authorization` is used. */
  readonly headerName: string;
}

/** The configuration of a JWT provider, with the audiences that only some calls set. */
export interface JwtConfig extends JwtSource {
  /** The JWT must name at least one of them. Empty: the audience is not checked. */
  readonly audiences: readonly string[];
}

/** Returns the source of a message or of what is stored, which have more. */
export function toJwtSource({ jwtEndpoint, issuer, keysEndpoint, headerName }: JwtSource): JwtSource {
  return { jwtEndpoint, issuer, keysEndpoint, headerName };
}

type AddedPayload = NonNullable<EventPayloads["identity_provider.added"]["jwt"]>;

/** Returns the configuration as the event of a new provider holds it. */
export function toJwtPayload(config: JwtConfig): AddedPayload {
  return { ...toJwtSourcePayload(config), audiences: config.audiences };
}

/** Returns the configuration that an event holds. */
export function toJwtConfig(payload: AddedPayload): JwtConfig {
  return {
    jwtEndpoint: payload.jwt_endpoint,
    issuer: payload.issuer,
    keysEndpoint: payload.keys_endpoint,
    headerName: payload.header_name,
    audiences: payload.audiences,
  };
}

/** Returns the source as events hold it. */
export function toJwtSourcePayload(source: JwtSource): JwtConfigPayload {
  return {
    jwt_endpoint: source.jwtEndpoint,
    issuer: source.issuer,
    keys_endpoint: source.keysEndpoint,
    header_name: source.headerName,
  };
}
