import type { ClaimsRequest } from "../../../identity/logins/authorizations/claims-request.ts";
import type { LoginRequest } from "../../login/login-request.ts";
import type { ResponseMode } from "../requests/response-mode.ts";

/** What a login keeps for the answer to an application. */
export interface LoginData {
  readonly redirectUri: string;
  readonly responseMode: ResponseMode;
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  readonly codeChallenge: string | undefined;
  /** The thumbprint of the key that the code is for; undefined: any. */
  readonly jkt?: string | undefined;
  /** Those that were granted. */
  readonly scopes: readonly string[];
  /** What was asked for beside them, one by one; undefined: nothing. */
  readonly claims?: ClaimsRequest | undefined;
  /** The only users who may log in; undefined: any. */
  readonly subjects?: readonly string[] | undefined;
  /** Whether there is no login without two factors. Default: there is. */
  readonly requiresMfa?: boolean;
}

/** Makes what is kept: JSON. */
export function toLoginData(data: LoginData): LoginRequest["data"] {
  return { ...data };
}

/** Reads what is kept. Logins that began before there were response modes are answered in the query. */
export function fromLoginData({ data }: Pick<LoginRequest, "data">): LoginData {
  const kept = data as Omit<LoginData, "responseMode"> & Partial<LoginData>; // made above
  return { ...kept, responseMode: kept.responseMode ?? "query" };
}
