import { attributeOf, childrenOf, isNamed } from "../../../kernel/xml/document.ts";
import type { TextDocument, TextElement } from "../../../kernel/xml/text-document.ts";
import { malformedMessage, onlyChildOf, readBoolean, readIndex, readInstant, uriOf } from "./elements.ts";
import { bearerConfirmation, samlAssertion, samlProtocol } from "./identifiers.ts";
import { type MessageHead, readHead } from "./message-head.ts";
import { readNameId, type StatedNameId } from "./name-id.ts";

/** A request for a login (SAML Core §3.4.1) as it was sent: plain data, which may be stored as JSON. Empty texts do not count as absent. */
export interface AuthnRequest extends MessageHead {
  readonly target: AcsRequest;
  readonly isForceAuthn: boolean;
  readonly isPassive: boolean;
  readonly nameIdPolicy: NameIdPolicy | undefined;
  readonly requestedContext: RequestedContext | undefined;
  /** The user that is to log in; undefined: any user. */
  readonly subject: RequestedSubject | undefined;
  readonly conditions: RequestedConditions | undefined;
  /** Undefined: the default of the metadata. */
  readonly attributeServiceIndex: number | undefined;
}

/** Where the answer is to go: SAML Core §3.4.1. */
export interface AcsRequest {
  /** 0 to 65535. */
  readonly index: number | undefined;
  readonly url: string | undefined;
  readonly binding: string | undefined;
}

/** SAML Core §3.4.1.1; AllowCreate is not read, because nothing is created. */
export interface NameIdPolicy {
  readonly format: string | undefined;
  readonly spNameQualifier: string | undefined;
}

/** How an asked class is compared with the class of the login. */
export type ContextComparison = "exact" | "minimum" | "better" | "maximum";

/** SAML Core §3.3.2.2.1. */
export interface RequestedContext {
  readonly comparison: ContextComparison;
  /** URIs, in the order of the request; empty if it asks by declarations, which are not supported. */
  readonly classes: readonly string[];
}

/**
 * `other`: named in a way that is not supported (EncryptedID, BaseID), or with a confirmation, which Profiles §4.1.4.1 forbids. One by
 * bearer that says nothing more is passed over, because some products send it.
 */
export type RequestedSubject =
  | { readonly kind: "name-id"; readonly nameId: StatedNameId }
  | { readonly kind: "other" };

/** What the service provider asks of the assertion: SAML Core §2.5.1. */
export interface RequestedConditions {
  /** Milliseconds since 1970; undefined: no limit. */
  readonly notBeforeMs: number | undefined;
  readonly notOnOrAfterMs: number | undefined;
  /** Each one is a restriction to some entity ids. */
  readonly audiences: readonly (readonly string[])[];
  readonly isOneTimeUse: boolean;
  /** Whether there are other conditions. */
  readonly hasOthers: boolean;
}

/** Reads a request for a login. Raises a SamlFault when the document is not one. */
export function readAuthnRequest(document: TextDocument): AuthnRequest {
  const head = readHead(document, "AuthnRequest");
  const { root } = document;
  const child = (name: string) => onlyChildOf(root, samlProtocol, name);
  return {
    ...head,
    target: {
      index: readIndex(root, "AssertionConsumerServiceIndex"),
      url: attributeOf(root, "AssertionConsumerServiceURL"),
      binding: attributeOf(root, "ProtocolBinding"),
    },
    isForceAuthn: readBoolean(root, "ForceAuthn"),
    isPassive: readBoolean(root, "IsPassive"),
    nameIdPolicy: readPolicy(child("NameIDPolicy")),
    requestedContext: readContext(child("RequestedAuthnContext")),
    subject: readSubject(onlyChildOf(root, samlAssertion, "Subject")),
    conditions: readConditions(onlyChildOf(root, samlAssertion, "Conditions")),
    attributeServiceIndex: readIndex(root, "AttributeConsumingServiceIndex"),
  };
}

function readPolicy(policy: TextElement | undefined): NameIdPolicy | undefined {
  if (policy === undefined) return undefined;
  return {
    format: attributeOf(policy, "Format"),
    spNameQualifier: attributeOf(policy, "SPNameQualifier"),
  };
}

const comparisons: readonly string[] = [
  "exact",
  "minimum",
  "better",
  "maximum",
] satisfies ContextComparison[];

function isComparison(text: string): text is ContextComparison {
  return comparisons.includes(text);
}

function readContext(context: TextElement | undefined): RequestedContext | undefined {
  if (context === undefined) return undefined;
  const comparison = attributeOf(context, "Comparison") ?? "exact";
  if (!isComparison(comparison)) throw malformedMessage();
  const classes = childrenOf(context, samlAssertion, "AuthnContextClassRef").map(uriOf);
  const declarations = childrenOf(context, samlAssertion, "AuthnContextDeclRef");
  if (classes.length > 0 && declarations.length > 0) throw malformedMessage();
  return { comparison, classes };
}

/** SAML Core §2.4.1. */
function readSubject(subject: TextElement | undefined): RequestedSubject | undefined {
  if (subject === undefined) return undefined;
  const nameId = onlyChildOf(subject, samlAssertion, "NameID");
  const isPlain = subject.children.every((child) => child === nameId || isEmptyBearer(child));
  return nameId === undefined || !isPlain
    ? { kind: "other" }
    : { kind: "name-id", nameId: readNameId(nameId) };
}

/** SAML Core §2.4.1.1: a confirmation that we do by every assertion anyway. Data would be conditions, which are not kept. */
function isEmptyBearer(child: TextElement): boolean {
  const isBearer = attributeOf(child, "Method") === bearerConfirmation;
  return isNamed(child, samlAssertion, "SubjectConfirmation") && isBearer && child.children.length === 0;
}

function readConditions(conditions: TextElement | undefined): RequestedConditions | undefined {
  if (conditions === undefined) return undefined;
  const restrictions = childrenOf(conditions, samlAssertion, "AudienceRestriction");
  const once = onlyChildOf(conditions, samlAssertion, "OneTimeUse");
  return {
    notBeforeMs: readInstant(conditions, "NotBefore"),
    notOnOrAfterMs: readInstant(conditions, "NotOnOrAfter"),
    audiences: restrictions.map((each) => childrenOf(each, samlAssertion, "Audience").map(uriOf)),
    isOneTimeUse: once !== undefined,
    hasOthers: conditions.children.length > restrictions.length + (once === undefined ? 0 : 1),
  };
}
