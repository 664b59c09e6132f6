/** The one use of something that a client has signed. */
export interface AssertionUse {
  /** An assertion identifies the client (RFC 7523), a proof shows that it holds a key (RFC 9449). */
  readonly kind: "assertion" | "proof";
  /** A SHA-256 hash (base64url) that nothing else has. */
  readonly hash: string;
  /** From then on it would be refused as too old, so that its use can be forgotten. */
  readonly expirationMs: number;
}
