import { findRefusedName } from "./algorithms.ts";

/** The result of verifying a message. */
export type SignatureFinding =
  | { readonly kind: "absent" }
  | { readonly kind: "good" }
  | {
      readonly kind: "bad";
      /**
       * For the log. `shape`: it is no signature of the one shape that is accepted; `reference`: it signs something else than the
       * document; `algorithm`: one that is refused; `key`: the sender has no key of the type of the algorithm; `digest`: the
       * document was changed; `value`: no key of the sender has made it.
       */
      readonly reason: "shape" | "reference" | "algorithm" | "key" | "digest" | "value";
      /** The short name of a known algorithm that is refused, such as `rsa-sha1`. */
      readonly algorithm?: string;
    };

/** Why a signature is bad. */
export type BadSignature = Extract<SignatureFinding, { readonly kind: "bad" }>;

/** Returns the finding about a bad signature. */
export function badSignature(reason: BadSignature["reason"]): BadSignature {
  return { kind: "bad", reason };
}

/** Returns the finding about an algorithm that is refused. It names the algorithm if it is a known one. */
export function refusedAlgorithm(uri: string | undefined): BadSignature {
  const algorithm = findRefusedName(uri);
  return { kind: "bad", reason: "algorithm", ...(algorithm === undefined ? {} : { algorithm }) };
}
