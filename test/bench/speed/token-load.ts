/** What the generator of token requests is asked to send. */
export interface TokenLoad {
  readonly url: string;
  readonly kind: TokenCall;
  readonly inFlight: number;
  readonly seconds: number;
  /** Calls a second, spread evenly; undefined: a call follows each answer. */
  readonly rate?: number;
  readonly ground: TokenGround;
}

/** The calls of OAuth that are measured. */
export type TokenCall = "client_credentials" | "dpop" | "exchange" | "introspection" | "refresh";

/** Who asks, and what about. */
export interface TokenGround {
  readonly issuer: string;
  /** A service user with a key of ES256. */
  readonly machine: { readonly id: string; readonly keyId: string; readonly privateKey: string };
  /** An application, which authenticates by its secret. */
  readonly application: { readonly id: string; readonly secret: string };
  /** An opaque access token of the application. */
  readonly accessToken: string;
}

/** What came of it. */
export interface TokenLoadResult {
  /** Answers, each a success. */
  readonly count: number;
}

/** What is sent to the generator: the load, and what refreshing begins with, a token for each call in flight. */
export interface TokenOrder {
  readonly load: TokenLoad;
  readonly refreshTokens: readonly string[];
}

/** What the generator answers: the result, and the refresh tokens that the next load begins with. */
export type TokenAnswer =
  | { readonly result: TokenLoadResult; readonly refreshTokens: readonly string[] }
  | { readonly error: string };
