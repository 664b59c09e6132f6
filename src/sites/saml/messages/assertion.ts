import type { SamlNameId } from "../../../identity/logins/saml-participations/saml-participation.ts";
import { toDateTime } from "../../../kernel/xml/date-time.ts";
import { element, type XmlFragment } from "../../../kernel/xml/write.ts";
import type { Signable } from "../../../kernel/xml/signatures/sign-element.ts";
import type { ToldContext } from "./authn-context.ts";
import type { RequestedConditions } from "./authn-request.ts";
import type { ToldAttribute } from "./choose-attributes.ts";
import { windowOf, writeConditions } from "./conditions.ts";
import { bearerConfirmation, samlDeclaration } from "./identifiers.ts";
import { writeNameId } from "./name-id.ts";

/** What an assertion says: SAML Core §2.3.3. Instants are milliseconds since 1970. */
export interface AssertionToWrite {
  /** Made by `newMessageId`. */
  readonly id: string;
  /** Our entity id. */
  readonly issuer: string;
  readonly nowMs: number;
  /** The entity id of the service provider. */
  readonly audience: string;
  /** The location of the endpoint that the assertion is for. */
  readonly recipient: string;
  /** The ID of the request; undefined: there was none. */
  readonly inResponseTo: string | undefined;
  readonly nameId: SamlNameId;
  /** What the request asked for, which `requireSupported` has accepted at `nowMs`. */
  readonly conditions: RequestedConditions | undefined;
  /** When the last factor that the login needed was checked. */
  readonly authenticationMs: number;
  readonly sessionIndex: string;
  /** The end of the session at the latest. */
  readonly sessionEndMs: number;
  readonly context: ToldContext;
  readonly attributes: readonly ToldAttribute[];
}

/** Prepares the assertion of a login for its signature: Profiles §4.1.4.2. */
export function writeAssertion(assertion: AssertionToWrite): Signable {
  const { id, issuer, nowMs, audience, conditions } = assertion;
  const attributes = { ...samlDeclaration, ID: id, Version: "2.0", IssueInstant: toDateTime(nowMs) };
  return {
    id,
    render: (signature) =>
      element("saml:Assertion", attributes, [
        element("saml:Issuer", {}, [issuer]),
        signature,
        writeSubject(assertion),
        writeConditions({ nowMs, audience, requested: conditions }),
        writeAuthnStatement(assertion),
        writeAttributeStatement(assertion.attributes),
      ]),
  };
}

/** Profiles §4.1.4.2: the bearer of the assertion is the user, for a short time, at one endpoint. There is no NotBefore. */
function writeSubject({ nameId, recipient, inResponseTo, nowMs, conditions }: AssertionToWrite): XmlFragment {
  const data = element("saml:SubjectConfirmationData", {
    InResponseTo: inResponseTo,
    NotOnOrAfter: toDateTime(windowOf(nowMs, conditions).notOnOrAfterMs),
    Recipient: recipient,
  });
  return element("saml:Subject", {}, [
    writeNameId(nameId, undefined),
    element("saml:SubjectConfirmation", { Method: bearerConfirmation }, [data]),
  ]);
}

/** SAML Core §2.7.2. */
function writeAuthnStatement(assertion: AssertionToWrite): XmlFragment {
  const { authenticationMs, sessionIndex, sessionEndMs, context } = assertion;
  const attributes = {
    AuthnInstant: toDateTime(authenticationMs),
    SessionIndex: sessionIndex,
    SessionNotOnOrAfter: toDateTime(sessionEndMs),
  };
  const { authority } = context;
  const authnContext = element("saml:AuthnContext", {}, [
    element("saml:AuthnContextClassRef", {}, [context.classUri]),
    authority === undefined ? undefined : element("saml:AuthenticatingAuthority", {}, [authority]),
  ]);
  return element("saml:AuthnStatement", attributes, [authnContext]);
}

/** SAML Core §2.7.3: there is none without attributes. */
function writeAttributeStatement(attributes: readonly ToldAttribute[]): XmlFragment | undefined {
  if (attributes.length === 0) return undefined;
  const written = attributes.map(({ name, nameFormat, values }) =>
    element(
      "saml:Attribute",
      { Name: name, NameFormat: nameFormat },
      values.map((value) => element("saml:AttributeValue", {}, [value])),
    ),
  );
  return element("saml:AttributeStatement", {}, written);
}
