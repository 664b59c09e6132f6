import type { JsonFields } from "../json-members.ts";
import { flagIn, objectIn, textIn, textsIn } from "../json-fields.ts";

const bindings = "urn:oasis:names:tc:SAML:2.0:bindings";
const nameIds: Readonly<Record<string, string>> = {
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  transient: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  username: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
};

/** Writes the metadata (SAML Metadata §2.4.4) of a client of a realm that speaks SAML. Undefined if nothing can be sent to it. */
export function toServiceProviderXml(client: JsonFields): {
  readonly metadataXml: string | undefined;
  readonly without: readonly string[];
} {
  const attributes = objectIn(client, "attributes");
  const attribute = (name: string) => textIn(attributes, name);
  const post =
    attribute("saml_assertion_consumer_url_post") ||
    (textsIn(client, "redirectUris").find((uri) => !uri.includes("*")) ?? "");
  if (post === "") return { metadataXml: undefined, without: [] };
  const isSigned = flagIn(attributes, "saml.client.signature");
  const certificate = attribute("saml.signing.certificate").replace(/-----[^-]+-----|\s/g, "");
  const logout = [
    ["HTTP-POST", attribute("saml_single_logout_service_url_post")],
    ["HTTP-Redirect", attribute("saml_single_logout_service_url_redirect")],
  ].filter(([, url]) => url !== "");
  const format = nameIds[attribute("saml_name_id_format")];
  const lines = [
    `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapeXml(textIn(client, "clientId"))}">`,
    `<SPSSODescriptor AuthnRequestsSigned="${isSigned}" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">`,
    ...(certificate === ""
      ? []
      : [
          `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${escapeXml(certificate)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
        ]),
    ...logout.map(
      ([binding, url = ""]) =>
        `<SingleLogoutService Binding="${bindings}:${binding}" Location="${escapeXml(url)}"/>`,
    ),
    ...(format === undefined ? [] : [`<NameIDFormat>${format}</NameIDFormat>`]),
    `<AssertionConsumerService Binding="${bindings}:HTTP-POST" Location="${escapeXml(post)}" index="0" isDefault="true"/>`,
    "</SPSSODescriptor></EntityDescriptor>",
  ];
  return {
    metadataXml: lines.join(""),
    without: flagIn(attributes, "saml.encrypt") ? ["comes without the encryption of its assertions"] : [],
  };
}

/** Escapes a text for XML: for elements and for attributes in double quotes. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
