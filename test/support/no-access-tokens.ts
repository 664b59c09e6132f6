import type { FindAccessToken, JwtAccess } from "../../src/access/access-token-credentials.ts";

/** Finds no access token, for tests of other tokens. */
export const findNoAccessToken: FindAccessToken = async () => undefined;

/** Recognises no access token, for the same. */
export const noJwts: JwtAccess = { ownTokens: { verify: async () => undefined }, issuer: () => undefined };
