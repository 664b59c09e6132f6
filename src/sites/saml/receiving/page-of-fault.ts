import { PageRefusal } from "../../login/page-refusal.ts";
import { SamlFault } from "../bindings/saml-fault.ts";

/** Faults of a sender that is not answered. Whether it is unknown or switched off is its own business. */
const unknownSender: ReadonlySet<string> = new Set(["issuer", "inactive"]);

/**
 * Turns a SamlFault into the page that the user sees, which sends nobody anywhere. It names no more than an algorithm that is refused, for
 * the people who run the service provider. Other errors are returned as they are.
 */
export function toPageOfFault(error: unknown): unknown {
  if (!(error instanceof SamlFault)) return error;
  if (unknownSender.has(error.reason)) return new PageRefusal("unknown-application");
  return new PageRefusal("bad-application-request", { detail: error.algorithm });
}
