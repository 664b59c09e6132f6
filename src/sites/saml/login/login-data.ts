import type { LoginRequest } from "../../login/login-request.ts";
import type { AuthnRequest } from "../messages/authn-request.ts";
import type { LoginFailure } from "../messages/status.ts";

/** What a login keeps for the answer to a service provider. */
export interface SamlLoginData {
  /** Undefined: the login has begun here, without a request. */
  readonly request: AuthnRequest | undefined;
  /** The location of the endpoint that the answer goes to. It is looked for in the metadata again before that. */
  readonly acs: string;
  readonly relayState: string | undefined;
  /** Milliseconds since 1970. */
  readonly requestMs: number;
  /** Why there is no login for any user; undefined: nothing is known against it. */
  readonly failure: LoginFailure | undefined;
}

/** Makes what is kept: JSON. */
export function toSamlLoginData(data: SamlLoginData): LoginRequest["data"] {
  return { ...data };
}

/** Reads what is kept. */
export function fromSamlLoginData({ data }: Pick<LoginRequest, "data">): SamlLoginData {
  return data as SamlLoginData; // made above
}
