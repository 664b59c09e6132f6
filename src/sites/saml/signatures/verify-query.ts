import type { KeyObject } from "node:crypto";
import { decodeBase64 } from "../../../kernel/xml/base64.ts";
import { findSignatureAlgorithm } from "../../../kernel/xml/signatures/algorithms.ts";
import {
  badSignature,
  refusedAlgorithm,
  type SignatureFinding,
} from "../../../kernel/xml/signatures/signature-finding.ts";
import { verifyOctets } from "../../../kernel/xml/signatures/verify-octets.ts";

/** The parameters of a query of which some are signed. Undefined are those that were not sent. */
export interface SignedQuery {
  /** The name of the parameter that holds the message: `SAMLRequest` or `SAMLResponse`. */
  readonly kind: string;
  readonly algorithm: string | undefined;
  readonly signature: string | undefined;
  /** The signed ones as they were received, percent-encoded. */
  readonly raw: SignedParameters;
  /** The same values as `encodeURIComponent` encodes them. */
  readonly encodedAgain: SignedParameters;
}

/** The parameters that a signature covers, in this order, percent-encoded. */
export interface SignedParameters {
  readonly message: string;
  readonly relayState: string | undefined;
  readonly algorithm: string | undefined;
}

/**
 * Verifies the signature of a query with the keys of its sender, any of which may have made it (SAML Bindings §3.4.4.1): over the
 * octets as they were received, else over the same values as `encodeURIComponent` encodes them, which node-saml signs whatever
 * it sends.
 */
export async function verifyQuery(query: SignedQuery, keys: readonly KeyObject[]): Promise<SignatureFinding> {
  if (query.signature === undefined || query.algorithm === undefined) return { kind: "absent" };
  const algorithm = findSignatureAlgorithm(query.algorithm);
  if (algorithm === undefined) return refusedAlgorithm(query.algorithm);
  const signature = decodeBase64(query.signature);
  if (signature === undefined) return badSignature("shape");
  const received = toSignedOctets(query.kind, query.raw);
  const encoded = toSignedOctets(query.kind, query.encodedAgain);
  const octets = received === encoded ? [received] : [received, encoded];
  return await verifyOctets({ octets, signature, algorithm, keys });
}

/** Returns the octets that a signature covers. */
export function toSignedOctets(kind: string, { message, relayState, algorithm }: SignedParameters): string {
  const state = relayState === undefined ? "" : `&RelayState=${relayState}`;
  return `${kind}=${message}${state}&SigAlg=${algorithm ?? ""}`;
}
