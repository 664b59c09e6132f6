/** The namespace of the messages: SAML Core §1.2. */
export const samlProtocol = "urn:oasis:names:tc:SAML:2.0:protocol";
/** The namespace of assertions: SAML Core §1.2. */
export const samlAssertion = "urn:oasis:names:tc:SAML:2.0:assertion";
/** SAML Bindings §3.5. */
export const httpPostBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
/** Profiles §3.3: the bearer of the assertion is the user. */
export const bearerConfirmation = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
/** SAML Core §8.3.6. */
export const entityFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity";
/** SAML Core §8.2.2. */
export const basicNameFormat = "urn:oasis:names:tc:SAML:2.0:attrname-format:basic";
/** Likewise: the name is a URI. */
export const uriNameFormat = "urn:oasis:names:tc:SAML:2.0:attrname-format:uri";

/** Declares the prefix `saml` in the outermost element of a part of a message that uses it: Exclusive XML Canonicalization §3. */
export const samlDeclaration = { "xmlns:saml": samlAssertion } as const;
/** Its type. */
export type SamlDeclaration = typeof samlDeclaration;
