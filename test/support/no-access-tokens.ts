import type { FindAccessToken, JwtAccess } from "../../src/identity/access/access-token-credentials.ts";
import {
  authenticate,
  type AuthenticationPorts,
  type SentCall,
} from "../../src/identity/access/authentication.ts";
import type { Caller } from "../../src/kernel/base/call.ts";

/** Finds no access token, for tests of other tokens. */
const findNoAccessToken: FindAccessToken = async () => undefined;

/** Recognises no access token, for the same. */
export const noJwts: JwtAccess = { ownTokens: { verify: async () => undefined }, issuer: () => undefined };

/** A call of which only the authorization header matters. */
export function callWith(authorization: string | undefined): SentCall {
  const header = (name: string) => (name === "authorization" ? authorization : undefined);
  return { verb: "POST", path: "/", header };
}

/** Finds out who calls with a token, which is a personal access token unless the test finds others. */
export async function enterWith(
  ports: Pick<AuthenticationPorts, "findCredentials" | "clock"> & Partial<AuthenticationPorts>,
  authorization: string | undefined,
): Promise<Caller> {
  const others = { findAccessToken: findNoAccessToken, issuer: noJwts.issuer };
  return (await authenticate({ ...others, ...ports }, callWith(authorization))).caller;
}
