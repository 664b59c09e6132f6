import type { Reason } from "../../../kernel/base/reason.ts";

/** The namespace of SAML 2.0 metadata. */
export const metadataNamespace = "urn:oasis:names:tc:SAML:2.0:metadata";

/** A rule that SAML metadata breaks, in words that follow `the document`. */
export class MetadataFault extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Returns the fault of metadata that is not well-formed or does not have the structure of SAML metadata. */
export function malformed(message: string, cause?: unknown): MetadataFault {
  return new MetadataFault("SAML_METADATA_MALFORMED", message, cause);
}
