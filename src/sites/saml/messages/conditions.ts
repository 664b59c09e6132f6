import { toDateTime } from "../../../kernel/xml/date-time.ts";
import { element, type XmlFragment } from "../../../kernel/xml/write.ts";
import type { AuthnRequest, RequestedConditions } from "./authn-request.ts";
import { SamlRefusal } from "./status.ts";

/** For so long after it was made an assertion may be taken to log in. */
const assertionLifetimeMs = 300_000;
/** So much earlier it counts as valid, because the clock of a service provider may be behind ours. */
const leewayMs = 60_000;

/** The audience and the time limits of an assertion: SAML Core §2.5.1. */
export interface ConditionsToWrite {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The entity id of the service provider, the only one that the assertion is for. */
  readonly audience: string;
  /** What the request asked for besides, which `requireSupported` has accepted. */
  readonly requested: RequestedConditions | undefined;
}

/**
 * Raises a SamlRefusal RequestUnsupported for a request that asks for what we do not do for any user: to log in somebody who is
 * named in another way than by a NameID, or conditions that we do not keep. They may only narrow what the assertion says anyway
 * (SAML Core §3.4.1).
 */
export function requireSupported(
  { subject, conditions }: Pick<AuthnRequest, "subject" | "conditions">,
  { audience, nowMs }: { readonly audience: string; readonly nowMs: number },
): void {
  const isKept = conditions === undefined || isKeepable(conditions, audience, nowMs);
  if (subject?.kind === "other" || !isKept) throw new SamlRefusal("RequestUnsupported");
}

/** Writes the conditions of an assertion, where the prefix is declared. */
export function writeConditions({ nowMs, audience, requested }: ConditionsToWrite): XmlFragment {
  const { notBeforeMs, notOnOrAfterMs } = windowOf(nowMs, requested);
  return element(
    "saml:Conditions",
    { NotBefore: toDateTime(notBeforeMs), NotOnOrAfter: toDateTime(notOnOrAfterMs) },
    [
      element("saml:AudienceRestriction", {}, [element("saml:Audience", {}, [audience])]),
      requested?.isOneTimeUse === true ? element("saml:OneTimeUse", {}) : undefined,
    ],
  );
}

/** Returns the time in which an assertion that is made now may be used. */
export function windowOf(
  nowMs: number,
  requested: RequestedConditions | undefined,
): { readonly notBeforeMs: number; readonly notOnOrAfterMs: number } {
  return {
    notBeforeMs: Math.max(nowMs - leewayMs, requested?.notBeforeMs ?? Number.NEGATIVE_INFINITY),
    notOnOrAfterMs: Math.min(
      nowMs + assertionLifetimeMs,
      requested?.notOnOrAfterMs ?? Number.POSITIVE_INFINITY,
    ),
  };
}

function isKeepable(requested: RequestedConditions, audience: string, nowMs: number): boolean {
  const { notBeforeMs, notOnOrAfterMs } = windowOf(nowMs, requested);
  return (
    !requested.hasOthers &&
    requested.audiences.every((each) => each.includes(audience)) &&
    notBeforeMs <= nowMs &&
    notOnOrAfterMs > nowMs
  );
}
