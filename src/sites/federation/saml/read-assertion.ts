import { parseDateTime } from "../../../kernel/xml/date-time.ts";
import { attributeOf, childrenOf, isNamed } from "../../../kernel/xml/document.ts";
import { isSimpleName } from "../../../kernel/xml/scan.ts";
import type { TextElement } from "../../../kernel/xml/text-document.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { assertionNamespace, type OwnSide } from "./names.ts";

/** What an assertion must say. */
export interface ExpectedStatement {
  readonly own: OwnSide;
  readonly requestId: string;
  /** The entity id of the provider. */
  readonly providerEntityId: string;
  readonly nowMs: number;
}

/** An assertion that is for us, for this login and for now. */
export interface CheckedAssertion {
  /** Its ID, which no other assertion of the provider has. */
  readonly id: string;
  /** Undefined: it has none. */
  readonly nameId: AssertedName | undefined;
  /** When the provider let the user in. */
  readonly authTimeMs: number;
  /** Values by the names of attributes, in the order of the document; undefined values are no plain texts. */
  readonly attributes: ReadonlyMap<string, readonly (string | undefined)[]>;
}

/** A NameID (SAML Core §2.2.3). */
export interface AssertedName {
  readonly value: string;
  readonly format: string | undefined;
}

/** By so much the clock of a provider may differ. */
const skewMs = 30_000;
const bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
/** SAML Core §2.5.1: a condition that is not understood makes an assertion invalid. */
const knownConditions = new Set(["AudienceRestriction", "OneTimeUse", "ProxyRestriction"]);

/** Checks an assertion whose signature was verified (SAML Profiles §4.1.4.3, Core §2.5). Raises a ProviderFailure that names the rule. */
export function readAssertion(assertion: TextElement, expected: ExpectedStatement): CheckedAssertion {
  const id = attributeOf(assertion, "ID") ?? "";
  if (attributeOf(assertion, "Version") !== "2.0" || id.length > 256 || !isSimpleName(id))
    throw refused("ID");
  if (only(assertion, "Issuer").text !== expected.providerEntityId) throw refused("Issuer");
  const subject = only(assertion, "Subject");
  requireConfirmed(subject, expected);
  requireConditions(only(assertion, "Conditions"), expected);
  return {
    id,
    nameId: readNameId(subject, expected),
    authTimeMs: readAuthTime(assertion, expected.nowMs),
    attributes: readAttributes(assertion),
  };
}

/** One confirmation that holds is enough: SAML Core §2.4.1.1. */
function requireConfirmed(subject: TextElement, { own, requestId, nowMs }: ExpectedStatement): void {
  const isConfirmed = of(subject, "SubjectConfirmation").some((confirmation) => {
    const [data] = of(confirmation, "SubjectConfirmationData");
    if (attributeOf(confirmation, "Method") !== bearer || data === undefined) return false;
    return (
      attributeOf(data, "Recipient") === own.acsUrl &&
      attributeOf(data, "InResponseTo") === requestId &&
      attributeOf(data, "NotOnOrAfter") !== undefined &&
      isNow(data, nowMs)
    );
  });
  if (!isConfirmed) throw refused("SubjectConfirmation");
}

function requireConditions(conditions: TextElement, { own, nowMs }: ExpectedStatement): void {
  if (!isNow(conditions, nowMs)) throw refused("Conditions times");
  const isKnown = conditions.children.every(
    ({ namespace, localName }) => namespace === assertionNamespace && knownConditions.has(localName),
  );
  if (!isKnown) throw refused("Conditions");
  const restrictions = of(conditions, "AudienceRestriction");
  const isForUs = restrictions.every((each) =>
    of(each, "Audience").some(({ text }) => text?.trim() === own.entityId),
  );
  if (restrictions.length === 0 || !isForUs) throw refused("Audience");
}

/** Checks NotBefore and NotOnOrAfter where they stand. A time that cannot be read is none that holds. */
function isNow(element: TextElement, nowMs: number): boolean {
  const [notBefore, notOnOrAfter] = ["NotBefore", "NotOnOrAfter"].map((name) => attributeOf(element, name));
  const from = notBefore === undefined ? -Infinity : (parseDateTime(notBefore) ?? Infinity);
  const to = notOnOrAfter === undefined ? Infinity : (parseDateTime(notOnOrAfter) ?? -Infinity);
  return from - skewMs <= nowMs && nowMs < to + skewMs;
}

/** A name with a qualifier of somebody else is a name for somebody else: SAML Core §8.3.7. */
function readNameId(
  subject: TextElement,
  { own, providerEntityId }: ExpectedStatement,
): AssertedName | undefined {
  const [name, ...others] = of(subject, "NameID");
  if (name === undefined && of(subject, "EncryptedID").length > 0) throw refused("EncryptedID");
  if (name === undefined) return undefined;
  const { text } = name;
  if (others.length > 0 || text === undefined) throw refused("NameID");
  const qualifier = attributeOf(name, "NameQualifier") ?? providerEntityId;
  const ofServiceProvider = attributeOf(name, "SPNameQualifier") ?? own.entityId;
  if (qualifier !== providerEntityId || ofServiceProvider !== own.entityId) throw refused("NameID qualifier");
  return { value: text.trim(), format: attributeOf(name, "Format") };
}

/** SAML Profiles §4.1.4.2: at least one AuthnStatement. The oldest counts. */
function readAuthTime(assertion: TextElement, nowMs: number): number {
  const times = of(assertion, "AuthnStatement").map((statement) => {
    const end = attributeOf(statement, "SessionNotOnOrAfter");
    if (end !== undefined && nowMs >= (parseDateTime(end) ?? -Infinity) + skewMs)
      throw refused("session over");
    return parseDateTime(attributeOf(statement, "AuthnInstant") ?? "");
  });
  const known = times.filter((time) => time !== undefined);
  if (known.length === 0 || known.length < times.length) throw refused("AuthnStatement");
  return Math.min(...known);
}

function readAttributes(assertion: TextElement): CheckedAssertion["attributes"] {
  const attributes = new Map<string, (string | undefined)[]>();
  for (const statement of of(assertion, "AttributeStatement"))
    for (const attribute of of(statement, "Attribute")) {
      const name = attributeOf(attribute, "Name") ?? "";
      const values = of(attribute, "AttributeValue").map(({ text }) => text?.trim());
      attributes.set(name, [...(attributes.get(name) ?? []), ...values]);
    }
  return attributes;
}

function only(parent: TextElement, name: string): TextElement {
  const [found, ...others] = of(parent, name);
  if (found === undefined || others.length > 0 || !isNamed(found, assertionNamespace, name))
    throw refused(name);
  return found;
}

function of(parent: TextElement, name: string): readonly TextElement[] {
  return childrenOf(parent, assertionNamespace, name);
}

function refused(rule: string): ProviderFailure {
  return new ProviderFailure("refused", `assertion ${rule}`);
}
